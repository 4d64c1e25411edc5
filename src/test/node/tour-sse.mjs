// The official client on the older transport HTTP+SSE, to which it comes as the specification says: it tries the newer one first.
// Prints one line of JSON for each step, and for each call of a loop until it is told twice that it is banned:
// node tour-sse.mjs URL [KEY]

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { clientInfo, run, target } from './tour.mjs';

const step = (name, seen) => console.log(JSON.stringify({ step: name, ...seen }));

await run(async () => {
  const { url, options } = target(process.argv.slice(2));
  let status;
  try {
    await new Client(clientInfo).connect(new StreamableHTTPClientTransport(url, options));
  } catch (error) {
    status = error.code;
  }
  step('fallback', { status });

  const client = new Client(clientInfo);
  await client.connect(new SSEClientTransport(url, options));
  step('initialize', { server: client.getServerVersion().name });

  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  step('tools/list', { tools });

  const echo = (text) => client.callTool({ name: 'echo', arguments: { text } });
  const echoed = (await echo('hello, weir ✓')).content[0].text;
  step('echo', { text: echoed });
  assert.match(echoed, /hello, weir ✓/);

  let progress = 0;
  const onprogress = () => progress++;
  await client.callTool({ name: 'export_report', arguments: {} }, undefined, { onprogress });
  step('export_report', { progress });

  for (let n = 0; n < 10; n++) {
    await echo('warming up');
  }
  const start = performance.now();
  for (let n = 1, bans = 0; n <= 50 && bans < 2; n++) {
    const said = { n };
    try {
      await client.callTool({ name: 'inspect_table_schema', arguments: { table: 'CUSTOMER' } }, undefined, { timeout: 5000 });
    } catch (error) {
      if (!(error instanceof McpError)) {
        throw error;
      }
      Object.assign(said, { code: error.code, message: error.message });
      bans += error.code === -32030 ? 1 : 0;
    }
    step('loop', { ...said, ms: Math.ceil(performance.now() - start) });
  }
  await echo('still there');
  step('end');
  await client.close();
});
