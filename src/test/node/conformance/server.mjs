// An MCP server for both eras with all that the conformance suite asks for: node conformance/server.mjs [no-retry]
//
// With `no-retry` there is no `retry` field in its streams, for clients that do not know it.
//
// Listens at a free port of the loopback address, prints one line of JSON with its `url`, and runs until it is killed.

import { createServer } from 'node:http';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { localhostHostValidation, localhostOriginValidation, toWebRequest } from '@modelcontextprotocol/node';
import { legacyFixture } from './legacy.mjs';
import { modernFixture } from './modern.mjs';

const legacy = legacyFixture(process.argv[2] === 'no-retry' ? undefined : 200);
const modern = modernFixture();
const hostIsLocal = localhostHostValidation();
const originIsLocal = localhostOriginValidation();

const server = createServer(async (request, response) => {
  try {
    if (hostIsLocal(request, response) && originIsLocal(request, response)) {
      await handle(request, response);
    }
  } catch (error) {
    console.error(error);
    response.destroy();
  }
});

async function handle(request, response) {
  if (request.url === '/ended-sessions') {
    response.end(`${legacy.ended()}`);
    return;
  }
  if (request.url !== '/mcp') {
    response.writeHead(404).end();
    return;
  }
  const body = request.method === 'POST' ? await json(request) : undefined;
  if (await isLegacyRequest(await toWebRequest(request, body), body)) {
    await legacy.handle(request, response, body);
  } else {
    await modern.handle(request, response, body);
  }
}

async function json(request) {
  const chunks = await request.toArray();
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/mcp` }));
});
