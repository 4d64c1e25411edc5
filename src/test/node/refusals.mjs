// The TypeScript clients' part of the refusal matrix: does the tasks in a file and prints a line of JSON for each: node refusals.mjs FILE

import { readFile } from 'node:fs/promises';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientInfo, run, target } from './tour.mjs';

const MAX_CALLS = 50;
const args = { text: 'hello', table: 'CUSTOMER' };

/** By the names that the tasks use. A newer client that is to speak the newer revision must not fall back to an older one. */
const make = {
  TS_1: () => [new OldClient(clientInfo), OldTransport],
  TS_2: () => [new Client(clientInfo), StreamableHTTPClientTransport],
  TS_2_MODERN: () => [
    new Client(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    StreamableHTTPClientTransport,
  ],
};

async function connect({ client: name, url, key }) {
  const [client, Transport] = make[name]();
  const { url: address, options } = target([url, key]);
  await client.connect(new Transport(address, options));
  return client;
}

/** What the caller of the client gets for one call. */
async function call(client, tool) {
  try {
    const result = await client.callTool({ name: tool, arguments: args });
    const text = result.content.map((part) => part.text).join('\n');
    return { as: 'result', isError: Boolean(result.isError), text, data: result._meta };
  } catch (error) {
    return { as: error.constructor.name, isError: true, code: error.code === undefined ? null : String(error.code), text: error.message, data: error.data };
  }
}

async function untilRefused(client, task) {
  let refused;
  let calls = 0;
  for (let refusals = 0; refusals < task.refusals && calls < MAX_CALLS; calls++) {
    refused = await call(client, task.tool);
    refusals += refused.isError ? 1 : 0;
  }
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' });
  return { cell: task.cell, refused, listed: tools.map((tool) => tool.name), calls };
}

async function all(tasks) {
  const clients = [];
  const refused = [];
  for (const task of tasks) {
    clients.push(await connect(task));
    refused.push(await untilRefused(clients.at(-1), task));
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(...tasks.map((task) => task.pauseMs))));
  for (const [i, task] of tasks.entries()) {
    const next = await call(clients[i], task.next);
    console.log(JSON.stringify({ ...refused[i], next, calls: refused[i].calls + 1 }));
    await clients[i].close();
  }
}

await run(async () => {
  const tasks = JSON.parse(await readFile(process.argv[2], 'utf8'));
  await Promise.all(Object.keys(make).map((name) => all(tasks.filter((task) => task.client === name))));
});
