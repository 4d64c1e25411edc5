// The tour with the second generation of the official client (@modelcontextprotocol/client): node tour-client.mjs URL [KEY]

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientInfo, run, target, tour } from './tour.mjs';

await run(async () => {
  const { url, options } = target(process.argv.slice(2));
  const client = new Client(clientInfo);
  const transport = new StreamableHTTPClientTransport(url, options);
  await tour(client, transport, (params, requestOptions) => client.callTool(params, requestOptions));
});
