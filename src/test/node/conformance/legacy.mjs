// The fixture for the revisions up to 2025-11-25, on the official SDK of the first generation: sessions, streams that can be
// taken up again, and requests from the server to the client.

import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as mcp from '@modelcontextprotocol/sdk/types.js';
import * as catalogue from './catalogue.mjs';

const tools = [...catalogue.tools, ...catalogue.legacyTools];

/** Answers legacy requests, with `retry` in its streams if there is to be one, and counts the sessions that were `ended` by their clients. */
export function legacyFixture(retryInterval) {
  const sessions = new Map();
  let ended = 0;

  async function open() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: rememberedEvents(),
      retryInterval,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => {
        sessions.delete(id);
        ended++;
      },
    });
    await fixtureServer((requestId) => transport.closeSSEStream(requestId)).connect(transport);
    return transport;
  }

  return {
    async handle(request, response, body) {
      const id = request.headers['mcp-session-id'];
      if (id !== undefined && !sessions.has(id)) {
        return refuse(response, 404, 'Session not found');
      }
      if (id === undefined && body?.method !== 'initialize') {
        return refuse(response, 400, 'No session: begin with initialize');
      }
      const transport = id === undefined ? await open() : sessions.get(id);
      await transport.handleRequest(request, response, body);
    },
    ended: () => ended,
  };
}

function refuse(response, status, message) {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32001, message } };
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(error));
}

function fixtureServer(endStream) {
  const capabilities = {
    tools: {},
    resources: { subscribe: true },
    prompts: {},
    logging: {},
    completions: {},
  };
  const server = new Server(catalogue.serverInfo, { capabilities });
  const touch = offerResources(server);
  offerTools(server, (extra) => peer(extra, endStream, touch));
  server.setRequestHandler(mcp.ListPromptsRequestSchema, () => ({
    prompts: catalogue.prompts.map(({ definition }) => definition),
  }));
  server.setRequestHandler(mcp.GetPromptRequestSchema, ({ params }) => {
    const prompt = named(catalogue.prompts, params.name);
    return { messages: prompt.messages(params.arguments ?? {}) };
  });
  server.setRequestHandler(mcp.CompleteRequestSchema, ({ params }) => catalogue.complete(params.argument.value));
  return server;
}

function offerTools(server, peerOf) {
  server.setRequestHandler(mcp.ListToolsRequestSchema, () => ({ tools: tools.map(({ definition }) => definition) }));
  server.setRequestHandler(mcp.CallToolRequestSchema, async ({ params }, extra) => {
    const { call } = named(tools, params.name);
    try {
      return await call(params.arguments ?? {}, peerOf(extra));
    } catch (error) {
      return { ...catalogue.text(error.message), isError: true };
    }
  });
}

function peer(extra, endStream, touch) {
  return {
    notify: (method, params) => extra.sendNotification({ method, params }),
    progressToken: extra._meta?.progressToken,
    ask: (method, params) => extra.sendRequest({ method, params }, mcp.ResultSchema),
    leave: () => endStream(extra.requestId),
    aborted: extra.signal,
    touch,
  };
}

/** Returns what tells the client that a resource has changed, if the client subscribed to it. */
function offerResources(server) {
  const watched = new Set();
  server.setRequestHandler(mcp.ListResourcesRequestSchema, () => ({
    resources: catalogue.resources.map(({ definition }) => definition),
  }));
  server.setRequestHandler(mcp.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [catalogue.template],
  }));
  server.setRequestHandler(mcp.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const contents = catalogue.read(uri);
    if (!contents) {
      throw new mcp.McpError(-32002, 'Resource not found', { uri });
    }
    return { contents };
  });
  server.setRequestHandler(mcp.SubscribeRequestSchema, ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  server.setRequestHandler(mcp.UnsubscribeRequestSchema, ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
  return async (uri) => {
    if (watched.has(uri)) {
      await server.sendResourceUpdated({ uri });
    }
  };
}

function named(offered, name) {
  const found = offered.find((one) => one.name === name);
  if (!found) {
    throw new mcp.McpError(mcp.ErrorCode.InvalidParams, `Unknown name: ${name}`);
  }
  return found;
}

/** The events of a session in the order in which they were sent, so that a stream can be taken up after any of them. */
function rememberedEvents() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return `${events.length - 1}`;
    },
    async getStreamIdForEventId(eventId) {
      return events[eventId]?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const { streamId } = events[lastEventId];
      for (let n = Number(lastEventId) + 1; n < events.length; n++) {
        const { message } = events[n];
        // An empty message only marks where the stream began.
        if (events[n].streamId === streamId && Object.keys(message).length > 0) {
          await send(`${n}`, message);
        }
      }
      return streamId;
    },
  };
}
