// An agent whose token is not enough for a tool gets a better one, with the second generation of the official client: node oauth-step-up.mjs URL

import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientInfo, Provider, step } from './oauth.mjs';
import { run } from './tour.mjs';

const url = new URL(process.argv[2]);
const call = (client) => client.callTool({ name: 'echo', arguments: { text: 'hello, scope' } });

await run(async () => {
  const provider = new Provider();
  const stranger = new StreamableHTTPClientTransport(url, { authProvider: provider });
  await assert.rejects(new Client(clientInfo).connect(stranger));
  await stranger.finishAuth(provider.callback);

  const client = new Client(clientInfo);
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
  await client.connect(transport);
  step('connected');
  await assert.rejects(call(client), (error) => {
    step('refused', { error: error.constructor.name });
    return true;
  });
  await transport.finishAuth(provider.callback);
  step('tools/call', { text: (await call(client)).content[0].text });
  await client.close();
});
