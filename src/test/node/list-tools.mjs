// Prints the names of the tools that each generation of the official client is shown: node list-tools.mjs URL [KEY]

import * as second from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { clientInfo, run, target } from './tour.mjs';

await run(async () => {
  for (const sdk of [{ Client, StreamableHTTPClientTransport }, second]) {
    const { url, options } = target(process.argv.slice(2));
    const client = new sdk.Client(clientInfo);
    await client.connect(new sdk.StreamableHTTPClientTransport(url, options));
    console.log(JSON.stringify({ tools: (await client.listTools()).tools.map((tool) => tool.name) }));
    await client.close();
  }
});
