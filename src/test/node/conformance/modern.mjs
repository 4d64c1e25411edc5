// The fixture for revision 2026-07-28, on the official SDK of the second generation.

import {
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { randomBytes } from 'node:crypto';
import * as catalogue from './catalogue.mjs';
import { questioningPrompts, questioningTools } from './questions.mjs';
import { oneField } from './samples.mjs';
import { taskFixture, TASKS, taskTools } from './tasks.mjs';

/** Answers modern requests. */
export function modernFixture() {
  const codec = createRequestStateCodec({ key: randomBytes(32), ttlSeconds: 600 });
  const handler = createMcpHandler(() => fixtureServer(codec, handler), { legacy: 'reject' });
  const isTask = taskFixture();
  const others = toNodeHandler(handler);
  return {
    async handle(request, response, body) {
      if (!isTask(request, response, body)) {
        await others(request, response, body);
      }
    },
  };
}

function fixtureServer(codec, handler) {
  const server = new McpServer(catalogue.serverInfo, {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
      extensions: { [TASKS]: {} },
    },
    requestState: { verify: codec.verify },
    cacheHints: { 'tools/list': { ttlMs: 300_000, cacheScope: 'public' } },
  });
  for (const { name, call, definition } of [...catalogue.tools, ...modernTools(handler)]) {
    offer(server, definition, (args, context) => call(args, peer(context)));
  }
  for (const { definition, answer } of questioningTools(codec)) {
    offer(server, definition, (_, context) => answer(context));
  }
  offerResources(server);
  offerPrompts(server);
  for (const { name, answer } of questioningPrompts()) {
    server.registerPrompt(name, { description: `The fixture ${name}.` }, answer);
  }
  return server;
}

function offer(server, { name, description, inputSchema }, call) {
  server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, call);
}

function peer(context) {
  return {
    notify: (method, params) =>
      method === 'notifications/message'
        ? context.mcpReq.log(params.level, params.data)
        : context.mcpReq.notify({ method, params }),
    progressToken: context.mcpReq._meta?.progressToken,
    aborted: context.mcpReq.signal,
  };
}

function modernTools(handler) {
  return [
    catalogue.tool('greet', ({ name }) => catalogue.text(`Hello, ${name}!`), oneField('name')),
    ...taskTools.map((name) => catalogue.tool(name, () => catalogue.text('never called'))),
    catalogue.tool('test_logging_tool', async (_, peer) => {
      await peer.notify('notifications/message', { level: 'info', data: 'Only for those who asked.' });
      return catalogue.text('logged');
    }),
    catalogue.tool('test_trigger_tool_change', () => {
      handler.notify.toolsChanged();
      return catalogue.text('changed');
    }),
    catalogue.tool('test_trigger_prompt_change', () => {
      handler.notify.promptsChanged();
      return catalogue.text('changed');
    }),
    catalogue.tool('touch_watched_resource', () => {
      handler.notify.resourceUpdated('test://watched-resource');
      return catalogue.text('touched');
    }),
    catalogue.tool('test_mirrored_arguments', (args) => catalogue.text(JSON.stringify(args)), {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        shard: { type: 'integer', 'x-mcp-header': 'Shard' },
      },
      required: ['region'],
    }),
  ];
}

function offerResources(server) {
  for (const { definition, contents } of catalogue.resources) {
    const { uri, name, mimeType } = definition;
    server.registerResource(name, uri, { mimeType }, () => ({ contents }));
  }
  const { uriTemplate, name, mimeType } = catalogue.template;
  server.registerResource(name, new ResourceTemplate(uriTemplate, { list: undefined }), { mimeType }, (uri) => ({
    contents: catalogue.read(uri.href),
  }));
}

function offerPrompts(server) {
  for (const { name, messages, definition } of catalogue.prompts) {
    const names = definition.arguments.map((argument) => argument.name);
    const properties = Object.assign({}, ...names.map((argument) => oneField(argument).properties));
    const argsSchema = fromJsonSchema({ type: 'object', properties, required: names });
    const { description } = definition;
    if (names.length > 0) {
      server.registerPrompt(name, { description, argsSchema }, (args) => ({ messages: messages(args) }));
    } else {
      server.registerPrompt(name, { description }, () => ({ messages: messages({}) }));
    }
  }
  server.server.setRequestHandler('completion/complete', ({ params }) => catalogue.complete(params.argument.value));
}
