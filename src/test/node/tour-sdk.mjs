// The tour with the first generation of the official client (@modelcontextprotocol/sdk): node tour-sdk.mjs URL [KEY]

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { clientInfo, run, target, tour } from './tour.mjs';

await run(async () => {
  const { url, options } = target(process.argv.slice(2));
  const client = new Client(clientInfo);
  const transport = new StreamableHTTPClientTransport(url, options);
  await tour(client, transport, (params, requestOptions) => client.callTool(params, undefined, requestOptions));
});
