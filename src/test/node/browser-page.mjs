// What a page does with the official clients, and what it can read: bundled for the browser, called by browser.mjs.

import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const MAX_CALLS = 60;
const clients = { sdk: [OldClient, OldTransport], client: [Client, StreamableHTTPClientTransport] };

/** fetch, and notes of what the page could see of each exchange. */
function noting(notes) {
  return async (url, init) => {
    const response = await fetch(url, init);
    const sent = new Headers(init?.headers);
    notes.push({
      method: init?.method ?? 'GET',
      status: response.status,
      type: response.headers.get('content-type'),
      session: sent.get('mcp-session-id'),
      version: sent.get('mcp-protocol-version'),
      newSession: response.headers.get('mcp-session-id'),
      retryAfter: response.headers.get('retry-after'),
      remaining: response.headers.get('x-ratelimit-remaining'),
      requestId: response.headers.get('x-request-id'),
    });
    return response;
  };
}

async function call(client, name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return { text: result.content.map((part) => part.text).join('\n') };
  } catch (error) {
    return { code: error.code, text: error.message };
  }
}

/** A whole session; then a loop until it is told that it is banned. */
async function tour(which, url, key) {
  const notes = [];
  const [ClientClass, Transport] = clients[which];
  const client = new ClientClass({ name: 'page', version: '1' });
  const transport = new Transport(new URL(url), {
    fetch: noting(notes),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const echo = await call(client, 'echo', { text: 'hello' });
  const refusals = {};
  for (let n = 0; n < MAX_CALLS && !refusals['-32030']; n++) {
    const answer = await call(client, 'inspect_table_schema', { table: 'CUSTOMER' });
    if (answer.code) {
      refusals[answer.code] = { ...answer, retryAfter: notes.filter((note) => note.method === 'POST').at(-1).retryAfter };
    }
  }
  await transport.terminateSession();
  await client.close();
  return { tools, echo, refusals, notes };
}

/** What a page sees of one request that no client has made. */
async function plain(url, headers) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate'),
      body: await response.text(),
    };
  } catch (error) {
    return { error: error.constructor.name };
  }
}

window.weir = { tour, plain };
