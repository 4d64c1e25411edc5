// One walk through the demo server's tools, resources and prompts, the same for both generations of the TypeScript client.

import assert from 'node:assert/strict';

/** The address and, if there is one, the key as the header that carries it. */
export function target([url, key]) {
  assert.ok(url, 'usage: node SCRIPT URL [KEY]');
  return {
    url: new URL(url),
    options: { requestInit: { headers: key ? { Authorization: `Bearer ${key}` } : {} } },
  };
}

export const clientInfo = { name: 'weir-tour', version: '1.0.0' };

/** Prints one line of JSON for each step. `callTool(params, options)` hides that the two clients order its arguments differently. */
export async function tour(client, transport, callTool) {
  const step = (name, seen) => console.log(JSON.stringify({ step: name, ...seen }));

  await client.connect(transport);
  step('initialize', { server: client.getServerVersion().name, session: Boolean(transport.sessionId) });
  assert.ok(transport.sessionId, 'the server opened no session');

  await client.ping();
  step('ping');

  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  step('tools/list', { tools });
  for (const name of ['echo', 'get_time', 'inspect_table_schema', 'export_report']) {
    assert.ok(tools.includes(name), `tools/list has no ${name}`);
  }

  const call = async (name, args, options) => {
    const result = await callTool({ name, arguments: args }, options);
    const text = result.content.map((part) => part.text).join('\n');
    assert.ok(!result.isError, `${name} failed: ${text}`);
    assert.ok(text, `${name} said nothing`);
    return text;
  };

  const echoed = await call('echo', { text: 'hello, weir ✓' });
  step('echo', { text: echoed });
  assert.match(echoed, /hello, weir ✓/);

  step('get_time', { text: await call('get_time', {}) });
  step('inspect_table_schema', { text: await call('inspect_table_schema', { table: 'CUSTOMER' }) });

  let before = 0;
  let done = false;
  const onprogress = () => {
    if (!done) before++;
  };
  const report = await call('export_report', {}, { onprogress });
  done = true;
  step('export_report', { progress: before, text: report });
  assert.ok(before > 0, 'no progress notification arrived before the result of export_report');

  const resources = (await client.listResources()).resources.map((resource) => resource.uri);
  step('resources/list', { resources });
  assert.ok(resources.includes('weir-demo://readme'), 'resources/list has no weir-demo://readme');

  const { contents } = await client.readResource({ uri: 'weir-demo://readme' });
  step('resources/read', { characters: contents[0].text.length });
  assert.ok(contents[0].text.length > 0, 'the resource is empty');

  const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  step('prompts/list', { prompts });
  assert.ok(prompts.includes('summarise_table'), 'prompts/list has no summarise_table');

  const { messages } = await client.getPrompt({ name: 'summarise_table', arguments: { table: 'CUSTOMER' } });
  step('prompts/get', { messages: messages.length });
  assert.ok(messages.length > 0, 'the prompt is empty');

  await transport.terminateSession();
  step('terminate', { session: Boolean(transport.sessionId) });
  assert.ok(!transport.sessionId, 'the session was not ended');
  await client.close();
}

/** Runs `main` and ends the process: 0, or 1 with what failed on the standard error. */
export async function run(main) {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
