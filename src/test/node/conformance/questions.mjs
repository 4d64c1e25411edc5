// Tools and a prompt of revision 2026-07-28 that want to know something first: they answer with questions, and are called
// again with the answers (SEP-2322).

import { acceptedContent, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { text, tool } from './catalogue.mjs';
import { oneField } from './samples.mjs';

const askFor = (field, message) => inputRequired.elicit({ message, requestedSchema: oneField(field) });
const askModel = () =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
    maxTokens: 100,
  });

/** Each with its definition, and its answer to a call: a result, or the questions that are still open. */
export function questioningTools(codec) {
  const asking = (name, answer) => ({ ...tool(name), answer });
  const state = (stage, context) => codec.mint({ stage }, context);
  return [
    asking('test_input_required_result_elicitation', ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, 'user_name');
      return given
        ? text(`Hello, ${given.name}!`)
        : inputRequired({ inputRequests: { user_name: askFor('name', 'What is your name?') } });
    }),
    asking('test_input_required_result_sampling', ({ mcpReq }) => {
      const given = inputResponse(mcpReq.inputResponses, 'capital');
      return given.kind === 'sampling'
        ? text(given.result.content.text)
        : inputRequired({ inputRequests: { capital: askModel() } });
    }),
    asking('test_input_required_result_list_roots', ({ mcpReq }) => {
      const given = inputResponse(mcpReq.inputResponses, 'roots');
      return given.kind === 'roots'
        ? text(`${given.roots.length} roots`)
        : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    }),
    asking('test_input_required_result_request_state', async (context) =>
      context.mcpReq.requestState() && acceptedContent(context.mcpReq.inputResponses, 'confirm')
        ? text('state-ok')
        : inputRequired({
            inputRequests: { confirm: askFor('ok', 'Please confirm.') },
            requestState: await state('asked', context),
          }),
    ),
    asking('test_input_required_result_multiple_inputs', async (context) => {
      const { inputResponses } = context.mcpReq;
      const given = ['user_name', 'greeting', 'roots'].map((key) => inputResponse(inputResponses, key).kind);
      return given.includes('missing')
        ? inputRequired({
            inputRequests: {
              user_name: askFor('name', 'What is your name?'),
              greeting: askModel(),
              roots: inputRequired.listRoots(),
            },
            requestState: await state('asked', context),
          })
        : text(`given: ${given.join(', ')}`);
    }),
    asking('test_input_required_result_multi_round', async (context) => {
      const stage = context.mcpReq.requestState()?.stage;
      if (stage === 'second' && acceptedContent(context.mcpReq.inputResponses, 'step2')) {
        return text('Two rounds are over.');
      }
      const next = stage === 'first' && acceptedContent(context.mcpReq.inputResponses, 'step1');
      return inputRequired({
        inputRequests: next ? { step2: askFor('color', 'Which colour?') } : { step1: askFor('name', 'Which name?') },
        requestState: await state(next ? 'second' : 'first', context),
      });
    }),
    asking('test_input_required_result_tampered_state', async (context) =>
      context.mcpReq.requestState()
        ? text('The state is the one that was handed out.')
        : inputRequired({
            inputRequests: { confirm: askFor('ok', 'Please confirm.') },
            requestState: await state('asked', context),
          }),
    ),
    asking('test_input_required_result_capabilities', ({ mcpReq }) => {
      const can = mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
      const inputRequests = {
        ...(can.sampling && { capital: askModel() }),
        ...(can.elicitation && { user_name: askFor('name', 'What is your name?') }),
      };
      return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text('There is nothing to ask.');
    }),
    // Asks without looking whether the caller can answer: the SDK refuses for it.
    asking('test_missing_capability', () => inputRequired({ inputRequests: { capital: askModel() } })),
    asking('test_streaming_elicitation', async ({ mcpReq }) => {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 'fixture', progress: 1 } });
      return inputRequired({ inputRequests: { user_name: askFor('name', 'What is your name?') } });
    }),
  ];
}

export function questioningPrompts() {
  return [
    {
      name: 'test_input_required_result_prompt',
      answer: ({ mcpReq }) => {
        const given = acceptedContent(mcpReq.inputResponses, 'user_context');
        const words = `In this context: ${given?.context}`;
        return given
          ? { messages: [{ role: 'user', content: { type: 'text', text: words } }] }
          : inputRequired({ inputRequests: { user_context: askFor('context', 'Which context?') } });
      },
    },
  ];
}
