// The official client, of either generation, on the older transport HTTP+SSE, to which it comes as the specification says: it tries the newer one first.
// Prints one line of JSON for each step, and for each call of a loop until it is told twice that it is banned:
// node tour-sse.mjs URL KEY sdk|client

import assert from 'node:assert/strict';
import * as second from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { clientInfo, run, target } from './tour.mjs';

const first = { Client, SSEClientTransport, StreamableHTTPClientTransport, RefusedError: McpError };
const generations = {
  sdk: { ...first, call: (client, params, options) => client.callTool(params, undefined, options) },
  client: { ...second, RefusedError: second.ProtocolError, call: (client, params, options) => client.callTool(params, options) },
};

const step = (name, seen) => console.log(JSON.stringify({ step: name, ...seen }));

await run(async () => {
  const { url, options } = target(process.argv.slice(2));
  const sdk = generations[process.argv[4]];
  let status;
  try {
    await new sdk.Client(clientInfo).connect(new sdk.StreamableHTTPClientTransport(url, options));
  } catch (error) {
    status = error.status ?? error.code;
  }
  step('fallback', { status });

  const client = new sdk.Client(clientInfo);
  await client.connect(new sdk.SSEClientTransport(url, options));
  step('initialize', { server: client.getServerVersion().name });

  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  step('tools/list', { tools });

  const call = (name, args, options) => sdk.call(client, { name, arguments: args }, options);
  const echo = (text) => call('echo', { text });
  const echoed = (await echo('hello, weir ✓')).content[0].text;
  step('echo', { text: echoed });
  assert.match(echoed, /hello, weir ✓/);

  let progress = 0;
  const onprogress = () => progress++;
  await call('export_report', {}, { onprogress });
  step('export_report', { progress });

  for (let n = 0; n < 10; n++) {
    await echo('warming up');
  }
  const start = performance.now();
  for (let n = 1, bans = 0; n <= 50 && bans < 2; n++) {
    const said = { n };
    try {
      await call('inspect_table_schema', { table: 'CUSTOMER' }, { timeout: 5000 });
    } catch (error) {
      if (!(error instanceof sdk.RefusedError)) {
        throw error;
      }
      Object.assign(said, { code: error.code, message: error.message });
      bans += error.code === -32030 ? 1 : 0;
    }
    step('loop', { ...said, ms: Math.ceil(performance.now() - start) });
  }
  await client.listTools();
  step('end');
  await client.close();
});
