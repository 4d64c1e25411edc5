// The full tour with the first generation of the official client (@modelcontextprotocol/sdk): node full-tour-sdk.mjs URL [KEY]

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as mcp from '@modelcontextprotocol/sdk/types.js';
import { capabilities, fullTour } from './full-tour.mjs';
import { clientInfo, run, target } from './tour.mjs';

const SCHEMAS = {
  'sampling/createMessage': mcp.CreateMessageRequestSchema,
  'elicitation/create': mcp.ElicitRequestSchema,
  'roots/list': mcp.ListRootsRequestSchema,
  'notifications/message': mcp.LoggingMessageNotificationSchema,
  'notifications/resources/updated': mcp.ResourceUpdatedNotificationSchema,
};

await run(async () => {
  const { url, options } = target(process.argv.slice(2));
  const client = new Client(clientInfo, { capabilities });
  const generation = {
    callTool: (params, requestOptions) => client.callTool(params, undefined, requestOptions),
    onRequest: (method, handler) => client.setRequestHandler(SCHEMAS[method], handler),
    onNotification: (method, handler) => client.setNotificationHandler(SCHEMAS[method], handler),
  };
  await fullTour(client, new StreamableHTTPClientTransport(url, options), generation, false);
});
