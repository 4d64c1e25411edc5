// The login with the second generation of the official client (@modelcontextprotocol/client): node oauth-client.mjs URL

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientInfo, login } from './oauth.mjs';
import { run } from './tour.mjs';

const url = new URL(process.argv[2]);

await run(() =>
  login(
    (authProvider) => ({
      client: new Client(clientInfo),
      transport: new StreamableHTTPClientTransport(url, { authProvider }),
    }),
    (transport, callback) => transport.finishAuth(callback),
    (client, params) => client.callTool(params),
  ),
);
