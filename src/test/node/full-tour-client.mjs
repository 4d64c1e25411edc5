// The full tour with the second generation of the official client (@modelcontextprotocol/client), which is told how to come to
// a revision: node full-tour-client.mjs legacy|auto|modern URL [KEY]

import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { capabilities, fullTour } from './full-tour.mjs';
import { clientInfo, run, target } from './tour.mjs';

const MODES = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

await run(async () => {
  const [name, ...address] = process.argv.slice(2);
  assert.ok(name in MODES, `no mode: ${name}`);
  const { url, options } = target(address);
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: MODES[name] } });
  const generation = {
    callTool: (params, requestOptions) => client.callTool(params, requestOptions),
    onRequest: (method, handler) => client.setRequestHandler(method, handler),
    onNotification: (method, handler) => client.setNotificationHandler(method, handler),
  };
  await fullTour(client, new StreamableHTTPClientTransport(url, options), generation, name !== 'legacy');
});
