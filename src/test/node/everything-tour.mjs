// A walk through the official server-everything with the first generation of the official client, over Streamable HTTP or over
// HTTP+SSE: node everything-tour.mjs http|sse URL [KEY]

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as mcp from '@modelcontextprotocol/sdk/types.js';
import { clientInfo, run, target } from './tour.mjs';

const STATIC = 'demo://resource/static/document/architecture.md';

await run(async () => {
  const [kind, ...address] = process.argv.slice(2);
  const { url, options } = target(address);
  const client = new Client(clientInfo, { capabilities: { sampling: {}, elicitation: {}, roots: {} } });
  const updated = new Promise((resolve) =>
    client.setNotificationHandler(mcp.ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
  );
  client.setRequestHandler(mcp.ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///weir', name: 'weir' }] }));
  client.setRequestHandler(mcp.CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'says the model' },
  }));
  client.setRequestHandler(mcp.ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Weir' } }));
  const call = async (name, args = {}, requestOptions = undefined) => {
    const result = await client.callTool({ name, arguments: args }, undefined, requestOptions);
    assert.ok(!result.isError, `${name} failed: ${JSON.stringify(result)}`);
    return result.content.map((part) => part.text ?? part.type).join('\n');
  };
  const Transport = { http: StreamableHTTPClientTransport, sse: SSEClientTransport }[kind];
  const transport = new Transport(url, options);
  await client.connect(transport);
  await client.ping();
  console.log(JSON.stringify({ server: client.getServerVersion().name }));

  const { tools } = await client.listTools();
  for (const name of ['echo', 'get-sum', 'trigger-long-running-operation']) {
    assert.ok(tools.some((tool) => tool.name === name), `there is no ${name}`);
  }
  assert.match(await call('echo', { message: 'hello ✓' }), /hello ✓/);
  assert.match(await call('get-sum', { a: 40, b: 2 }), /42/);
  assert.match(await call('get-tiny-image'), /image/);
  const progress = [];
  const onprogress = (told) => progress.push(told.progress);
  await call('trigger-long-running-operation', { duration: 0.3, steps: 3 }, { onprogress });
  // The last comes together with the result, and the client may look at the result first.
  assert.deepEqual(progress.slice(0, 2), [1, 2]);

  // It offers these once it knows what the client can do, which it asks after the handshake.
  assert.match(await call('trigger-sampling-request', { prompt: 'What?' }), /says the model/);
  assert.match(await call('trigger-elicitation-request'), /Weir/);

  const { resources } = await client.listResources();
  assert.ok(resources.some(({ uri }) => uri === STATIC), JSON.stringify(resources));
  const { contents } = await client.readResource({ uri: 'demo://resource/dynamic/text/1' });
  assert.match(contents[0].text, /Resource 1/);
  await client.subscribeResource({ uri: STATIC });
  await call('toggle-subscriber-updates');
  assert.equal(await updated, STATIC);
  await call('toggle-subscriber-updates');

  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some(({ name }) => name === 'args-prompt'));
  const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Köln' } });
  assert.match(messages[0].content.text, /Köln/);
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'S' },
  });
  assert.deepEqual(completion.values, ['Sales', 'Support']);

  if (kind === 'http') {
    await transport.terminateSession();
    assert.ok(!transport.sessionId, 'the session was not ended');
  }
  await client.close();
  console.log(JSON.stringify({ done: true }));
});
