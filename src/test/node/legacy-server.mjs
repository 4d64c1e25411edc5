// A server of the older transport HTTP+SSE, made of the official SDK, on a free port of the loopback address: a stream at /sse,
// messages at /messages. Prints its address and runs until it is killed: node legacy-server.mjs

import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { z } from 'zod';

const sessions = new Map();
const answer = (text) => ({ content: [{ type: 'text', text }] });

function mcpServer() {
  const server = new McpServer({ name: 'legacy', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => answer(text));
  server.registerTool('inspect_table_schema', { inputSchema: { table: z.string() } }, async ({ table }) => answer(table));
  server.registerTool('export_report', { inputSchema: {} }, async (_, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= 3 && progressToken !== undefined; progress++) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      await pause(20);
    }
    return answer('report');
  });
  return server;
}

const http = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (request.method === 'GET' && url.pathname === '/sse') {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    response.on('close', () => sessions.delete(transport.sessionId));
    await mcpServer().connect(transport);
  } else if (request.method === 'POST' && url.pathname === '/messages') {
    const transport = sessions.get(url.searchParams.get('sessionId'));
    if (transport) {
      await transport.handlePostMessage(request, response);
    } else {
      response.writeHead(404).end('no such session');
    }
  } else {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<pre>Cannot POST /sse</pre>');
  }
});

http.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/sse` })));
