// One walk through everything that a client can do with the conformance fixture, the same for both generations of the
// TypeScript client and for both eras.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

export const capabilities = { sampling: {}, elicitation: {}, roots: {} };

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const WATCHED = 'test://watched-resource';

/**
 * Prints one line of JSON for each step. `generation` hides in what the two clients differ: `callTool(params, options)`,
 * `onRequest(method, handler)` and `onNotification(method, handler)`. `modern` is true if the client is to speak 2026-07-28.
 */
export async function fullTour(client, transport, generation, modern) {
  const step = (name, seen) => console.log(JSON.stringify({ step: name, ...seen }));
  const heard = [];
  generation.onNotification('notifications/message', ({ params }) => void heard.push(params.data));
  generation.onNotification('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  generation.onRequest('sampling/createMessage', async () => answerOfModel);
  generation.onRequest('elicitation/create', async ({ params }) => ({ action: 'accept', content: filledIn(params) }));
  generation.onRequest('roots/list', async () => ({ roots: [{ uri: 'file:///weir', name: 'weir' }] }));
  const call = async (name, args = {}, options = undefined, _meta = undefined) => {
    const result = await generation.callTool({ name, arguments: args, ...(_meta && { _meta }) }, options);
    assert.ok(!result.isError, `${name} failed: ${JSON.stringify(result)}`);
    return result.content.map((part) => part.text ?? part.type).join('\n');
  };

  await client.connect(transport);
  assert.equal(client.getServerVersion().name, 'weir-conformance-fixture');
  assert.equal(Boolean(transport.sessionId), !modern);
  step('connect');

  if (!modern) {
    await client.ping();
    await client.setLoggingLevel('info');
    step('ping');
  }
  await lists(client);
  step('lists');

  assert.match(await call('test_simple_text'), /simple text/);
  assert.match(await call('test_multiple_content_types'), /image\nresource/);
  await assert.rejects(call('test_error_handling'), /intentionally returns an error/);
  step('tools/call');

  const progress = [];
  await call('test_tool_with_progress', {}, { onprogress: (told) => progress.push(told.progress) });
  assert.deepEqual(progress, [0, 50, 100]);
  step('progress');

  await call('test_tool_with_logging', {}, undefined, modern ? { [LOG_LEVEL]: 'info' } : undefined);
  assert.deepEqual(heard.splice(0), ['Tool execution started', 'Tool processing data', 'Tool execution completed']);
  step('logging');

  await questions(call, modern);
  step('questions of the server');

  await prompts(client);
  step('prompts/get');
  const { contents } = await client.readResource({ uri: 'test://template/7/data' });
  assert.equal(JSON.parse(contents[0].text).id, '7');
  await assert.rejects(client.readResource({ uri: 'test://nowhere' }), /not found/i);
  step('resources/read');

  const watching = modern
    ? await client.listen({ resourceSubscriptions: [WATCHED] })
    : await client.subscribeResource({ uri: WATCHED });
  await until('told of the resource', async () => {
    await call('touch_watched_resource');
    return heard.includes(WATCHED);
  });
  await (modern ? watching.close() : client.unsubscribeResource({ uri: WATCHED }));
  step('subscribe');

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 'par' },
  });
  assert.deepEqual(completion.values, ['paris', 'park', 'party', 'parrot']);
  step('completion');

  await cancel(call, { onprogress: () => {} });
  if (!modern) {
    await cancel(call, {});
  }
  step('cancel');

  if (!modern) {
    await transport.terminateSession();
    assert.ok(!transport.sessionId, 'the session was not ended');
    step('terminate');
  }
  await client.close();
}

const answerOfModel = { role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris, says the model' } };

/** The asked fields with some text in each. */
function filledIn({ requestedSchema }) {
  return Object.fromEntries(Object.keys(requestedSchema.properties).map((field) => [field, `my ${field}`]));
}

async function lists(client) {
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === 'test_simple_text'));
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ['test://static-text', 'test://static-binary', WATCHED],
  );
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0].uriTemplate, 'test://template/{id}/data');
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === 'test_prompt_with_arguments'));
}

/** The server asks, while a call goes on or in place of its result, and the client answers by itself. */
async function questions(call, modern) {
  if (modern) {
    assert.equal(await call('test_input_required_result_elicitation'), 'Hello, my name!');
    assert.equal(await call('test_input_required_result_sampling'), 'Paris, says the model');
    assert.equal(await call('test_input_required_result_multi_round'), 'Two rounds are over.');
  } else {
    assert.match(await call('test_elicitation', { message: 'Who?' }), /"response":"my response"/);
    assert.match(await call('test_sampling', { prompt: 'Where?' }), /Paris, says the model/);
  }
}

async function prompts(client) {
  const { messages } = await client.getPrompt({
    name: 'test_prompt_with_arguments',
    arguments: { arg1: 'one', arg2: 'two ✓' },
  });
  assert.match(messages[0].content.text, /arg1='one', arg2='two ✓'/);
}

/**
 * The server hears that a call is given up. In the modern era nobody says so, but the client goes away, and Weir sees that when it
 * has something to write.
 */
async function cancel(call, options) {
  const before = Number(await call('count_given_up'));
  const giveUp = new AbortController();
  const waiting = call('wait_for_ever', {}, { ...options, signal: giveUp.signal });
  setTimeout(() => giveUp.abort('enough'), 300);
  await assert.rejects(waiting);
  await until('the call is given up', async () => Number(await call('count_given_up')) > before);
}

async function until(what, reached) {
  for (let n = 0; n < 100; n++) {
    if (await reached()) {
      return;
    }
    await sleep(50);
  }
  assert.fail(`not after 5 s: ${what}`);
}
