// Calls inspect_table_schema in a row, at most 50 times, until it is told twice that it is banned, and prints what each call came
// to and when, in milliseconds from the first call on: node refused-sdk.mjs URL [KEY]

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { clientInfo, run, target } from './tour.mjs';

await run(async () => {
  const { url, options } = target(process.argv.slice(2));
  const client = new Client(clientInfo);
  const transport = new StreamableHTTPClientTransport(url, options);
  await client.connect(transport);
  // Whatever is slow only the first time is done before it counts, because tokens come back with time.
  for (let n = 0; n < 10; n++) {
    await client.callTool({ name: 'echo', arguments: { text: 'warming up' } });
  }
  const start = performance.now();
  let bans = 0;
  for (let n = 1; n <= 50 && bans < 2; n++) {
    const ms = () => Math.ceil(performance.now() - start);
    try {
      const result = await client.callTool({ name: 'inspect_table_schema', arguments: { table: 'CUSTOMER' } });
      console.log(JSON.stringify({ n, ms: ms(), result }));
    } catch (error) {
      // Anything but a JSON-RPC error (a lost connection, a 4xx status) is no refusal that an agent could read.
      if (!(error instanceof McpError)) {
        throw error;
      }
      bans += error.code === -32030 ? 1 : 0;
      console.log(JSON.stringify({ n, ms: ms(), code: error.code, message: error.message, data: error.data }));
    }
  }
  await transport.terminateSession();
  await client.close();
});
