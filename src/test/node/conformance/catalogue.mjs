// What the fixture server offers, under the names that the conformance suite asks for: the same for both eras.
//
// A tool is called with its arguments and a `peer`, the caller as its era lets a tool see it:
//   peer.notify(method, params)   sends a notification on the stream of this call
//   peer.progressToken            what the caller wants progress to be told under
//   peer.ask(method, params)      asks the caller and waits for the answer: legacy era only
//   peer.leave()                  ends the stream of this call, which goes on: legacy era only
//   peer.aborted                  an AbortSignal

import { setTimeout as sleep } from 'node:timers/promises';
import { FORM_WITH_CHOICES, FORM_WITH_DEFAULTS, IMAGE, oneField, RICH_SCHEMA, SOUND } from './samples.mjs';

export const serverInfo = { name: 'weir-conformance-fixture', version: '1.0.0' };

export const text = (words) => ({ content: [{ type: 'text', text: words }] });

const NO_ARGUMENTS = { type: 'object', properties: {} };
const embedded = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
const image = { type: 'image', data: IMAGE, mimeType: 'image/png' };

/** With a pause after the last step too: a client may look at a result before what was said just before it. */
async function withPauses(...steps) {
  for (const step of steps) {
    await step();
    await sleep(50);
  }
}

/** The tools of both eras: name, what is called, and an input schema unless there are no arguments. */
export const tools = [
  tool('test_simple_text', () => text('This is a simple text response for testing.')),
  tool('test_image_content', () => ({ content: [image] })),
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', () => ({
    content: [
      ...text('Multiple content types test:').content,
      image,
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
    ],
  })),
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  tool('test_tool_with_logging', async (_, peer) => {
    const log = (data) => () => peer.notify('notifications/message', { level: 'info', data });
    await withPauses(log('Tool execution started'), log('Tool processing data'), log('Tool execution completed'));
    return text('Said three things.');
  }),
  tool('test_tool_with_progress', async (_, peer) => {
    const { progressToken } = peer;
    const tell = (progress) => () =>
      progressToken !== undefined && peer.notify('notifications/progress', { progressToken, progress, total: 100 });
    await withPauses(tell(0), tell(50), tell(100));
    return text(`Done, as told under ${progressToken}.`);
  }),
  tool('json_schema_2020_12_tool', (args) => text(JSON.stringify(args)), RICH_SCHEMA),
  // Not of the suite: a call that lasts until its caller gives it up, and how many have been given up so far.
  tool('wait_for_ever', async (_, peer) => {
    const { progressToken } = peer;
    for (let progress = 1; !peer.aborted.aborted; progress++) {
      if (progressToken !== undefined) {
        await peer.notify('notifications/progress', { progressToken, progress });
      }
      await sleep(100, undefined, { signal: peer.aborted }).catch(() => {});
    }
    givenUp++;
    return text('given up');
  }),
  tool('count_given_up', () => text(`${givenUp}`)),
];

let givenUp = 0;

/** The tools that only the legacy era can have, because they speak to the caller while they run. */
export const legacyTools = [
  tool(
    'test_sampling',
    async ({ prompt }, peer) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const answer = await peer.ask('sampling/createMessage', { messages, maxTokens: 100 });
      return text(`LLM response: ${answer.content.text}`);
    },
    oneField('prompt'),
  ),
  tool('test_elicitation', ({ message }, peer) => elicit(peer, message, oneField('response')), oneField('message')),
  tool('test_elicitation_sep1034_defaults', (_, peer) => elicit(peer, 'Please review.', FORM_WITH_DEFAULTS)),
  tool('test_elicitation_sep1330_enums', (_, peer) => elicit(peer, 'Please choose.', FORM_WITH_CHOICES)),
  tool('test_reconnection', async (_, peer) => {
    peer.leave();
    await sleep(100);
    return text('Finished while nobody was connected.');
  }),
  tool('touch_watched_resource', async (_, peer) => {
    await peer.touch('test://watched-resource');
    return text('touched');
  }),
];

async function elicit(peer, message, requestedSchema) {
  const { action, content } = await peer.ask('elicitation/create', { message, requestedSchema });
  return text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

export function tool(name, call, inputSchema = NO_ARGUMENTS) {
  return { name, call, definition: { name, description: `The fixture ${name}.`, inputSchema } };
}

export const resources = [
  resource('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' }),
  resource('test://static-binary', 'image/png', { blob: IMAGE }),
  resource('test://watched-resource', 'text/plain', { text: 'Watched resource content' }),
];

function resource(uri, mimeType, content) {
  return { definition: { uri, name: uri.slice(7), mimeType }, contents: [{ uri, mimeType, ...content }] };
}

export const template = { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' };

/** The contents behind an address, or undefined. */
export function read(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const words = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return [{ uri, mimeType: template.mimeType, text: words }];
  }
  return resources.find(({ definition }) => definition.uri === uri)?.contents;
}

const user = (content) => ({ role: 'user', content });
const said = (words) => user({ type: 'text', text: words });

/** Prompts: name, the names of the arguments, and the messages for the values of these. */
export const prompts = [
  prompt('test_simple_prompt', [], () => [said('This is a simple prompt for testing.')]),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [
    said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ]),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri }) => [
    user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
    said('Please process the embedded resource above.'),
  ]),
  prompt('test_prompt_with_image', [], () => [user(image), said('Please analyze the image above.')]),
];

function prompt(name, names, messages) {
  const args = names.map((argument) => ({ name: argument, required: true }));
  return { name, messages, definition: { name, description: `The fixture ${name}.`, arguments: args } };
}

/** Completions of an argument: the words that begin with what is there. */
export function complete(start) {
  const values = ['paris', 'park', 'party', 'parrot'].filter((word) => word.startsWith(start));
  return { completion: { values, total: values.length, hasMore: false } };
}
