// The login with the first generation of the official client (@modelcontextprotocol/sdk): node oauth-sdk.mjs URL

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { clientInfo, login } from './oauth.mjs';
import { run } from './tour.mjs';

const url = new URL(process.argv[2]);

await run(() =>
  login(
    (authProvider) => ({
      client: new Client(clientInfo),
      transport: new StreamableHTTPClientTransport(url, { authProvider }),
    }),
    (transport, callback) => transport.finishAuth(callback.get('code')),
    (client, params) => client.callTool(params),
  ),
);
