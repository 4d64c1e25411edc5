// The tasks extension of revision 2026-07-28 (SEP-2663), which the official SDK has no server for: written by hand, message by
// message. Everything else is left to the SDK.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from './catalogue.mjs';
import { oneField } from './samples.mjs';

export const TASKS = 'io.modelcontextprotocol/tasks';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];
const [INVALID_PARAMS, HEADER_MISMATCH, MISSING_CAPABILITY] = [-32602, -32020, -32021];

const elicitation = (field) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: `What is the ${field}?`, requestedSchema: oneField(field) },
});

/** By name: what each does as a task, and whether it can only be one. `ask` waits for the answers to some questions. */
const TOOLS = {
  slow_compute: {
    run: async ({ seconds = 0, label }) => {
      await sleep(seconds * 1000);
      return text(`computed ${label}`);
    },
  },
  failing_job: { required: true, run: async () => ({ ...text('failed, as it always does'), isError: true }) },
  protocol_error_job: {
    required: true,
    run: async () => {
      throw new Error('broken, as it always is');
    },
  },
  confirm_delete: {
    required: true,
    run: async (_, ask) => text(`confirmed: ${JSON.stringify(await ask({ confirm: elicitation('confirm') }))}`),
  },
  multi_input: {
    required: true,
    run: async (_, ask) =>
      text(JSON.stringify(await ask({ first: elicitation('first'), second: elicitation('second') }))),
  },
  test_tool_with_task: {
    required: true,
    before: { user_name: elicitation('name') },
    run: async (_, ask, { user_name: given }) => text(`Hello, ${given.content?.name}!`),
  },
};

/** For `tools/list`; the calls never come to the SDK. */
export const taskTools = Object.keys(TOOLS);

/** Answers what is about tasks, and returns whether it was that. */
export function taskFixture() {
  const tasks = new Map();
  return (request, response, body) => {
    const tool = body?.method === 'tools/call' ? TOOLS[body.params?.name] : undefined;
    if (!tool && !METHODS.includes(body?.method)) {
      return false;
    }
    const [status, answer] = outcome(tasks, tool, request.headers, body);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, ...answer }));
    return true;
  };
}

const result = (members) => [200, { result: { resultType: 'complete', ...members } }];
const refusal = (code, message, data) => [400, { error: { code, message, data } }];

function outcome(tasks, tool, headers, { method, params }) {
  const name = params.name ?? params.taskId;
  if (headers['mcp-method'] !== method || headers['mcp-name'] !== name) {
    return refusal(HEADER_MISMATCH, 'The headers are not those of the body');
  }
  const declared = params._meta?.[CAPABILITIES]?.extensions?.[TASKS] !== undefined;
  if (!declared && (!tool || tool.required)) {
    const requiredCapabilities = { extensions: { [TASKS]: {} } };
    return refusal(MISSING_CAPABILITY, 'This needs the tasks extension', { requiredCapabilities });
  }
  if (tool) {
    return declared ? create(tasks, tool, params) : result(text('computed at once'));
  }
  const task = tasks.get(params.taskId);
  return task ? METHOD[method](task, params) : refusal(INVALID_PARAMS, 'There is no such task');
}

const METHOD = {
  'tasks/get': (task) => result(shown(task)),
  'tasks/update': (task, { inputResponses }) => {
    task.answer(inputResponses);
    return result({});
  },
  'tasks/cancel': (task) => {
    task.move('cancelled', {});
    return result({});
  },
};

const shown = ({ answer, move, ...members }) => members;

function create(tasks, tool, { arguments: args = {}, inputResponses }) {
  if (tool.before && !inputResponses) {
    return result({ resultType: 'input_required', inputRequests: tool.before });
  }
  const now = new Date().toISOString();
  const task = {
    taskId: randomUUID(),
    status: 'working',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 600_000,
    pollIntervalMs: 100,
  };
  task.move = (status, members) => {
    if (['working', 'input_required'].includes(task.status)) {
      delete task.inputRequests;
      Object.assign(task, { status, lastUpdatedAt: new Date().toISOString() }, members);
    }
  };
  task.answer = () => {};
  tasks.set(task.taskId, task);
  const first = shown(task);
  tool.run(args, (questions) => asked(task, questions), inputResponses).then(
    (ended) => task.move('completed', { result: ended }),
    (error) => task.move('failed', { error: { code: -32603, message: error.message } }),
  );
  return result({ ...first, resultType: 'task' });
}

/** The answers to questions, when all have been given. */
function asked(task, questions) {
  const answers = {};
  task.move('input_required', { inputRequests: questions });
  return new Promise((resolve) => {
    task.answer = (given) => {
      Object.assign(answers, given);
      const open = Object.entries(questions).filter(([key]) => !(key in answers));
      task.move(open.length > 0 ? 'input_required' : 'working', open.length > 0 ? { inputRequests: Object.fromEntries(open) } : {});
      if (open.length === 0) {
        resolve(answers);
      }
    };
  });
}
