/**
 * The history of throttles: over time, by whom, of what, and row by row.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { mark, number, time, words } from './format.js';
import { choice, exports, filter, pager, principal, table } from './list.js';
import { failed } from './notice.js';
import { link } from './router.js';
import './plot.js';

export const title = 'History';

const HOUR_MS = 3_600_000;
const STEPS = { minute: 60, hour: 3_600, day: 86_400 };

const fields = [
  { name: 'range', label: 'Last', words: [['1', 'hour'], ['24', '24 hours'], ['168', '7 days'], ['720', '30 days'], ['all', 'all that is kept']] },
  { name: 'principal', label: 'Principal', hint: 'client:ID' },
  { name: 'tool', label: 'Tool' },
  { name: 'route', label: 'Route' },
  { name: 'level', label: 'Level', words: choice('all', 'tool', 'method', 'concurrency', 'channel', 'route', 'global', 'unproven') },
  { name: 'decision', label: 'Decision', words: choice('all', 'throttled', 'would_throttle') },
  { name: 'from', label: 'From', type: 'datetime-local' },
  { name: 'until', label: 'Until', type: 'datetime-local' },
];

const series = [{ name: 'calls', label: '▲ throttled calls', colour: 'throttled', bars: true }];

/** Shows the page. */
export function open({ query, draw, signal }) {
  const said = { range: '1', ...query };
  const { range, after, ...filters } = said;
  if (!filters.from && range !== 'all') {
    // To the minute, so that a page and its next one are of the same list.
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    filters.from = new Date(minute - Number(range || 1) * HOUR_MS).toISOString();
  }
  let list = null;
  const sums = {};
  const step = stepOf(filters);
  const show = () => draw(view(said, filters, list, sums, step));
  const read = async (what, path, more) => {
    try {
      what((await api.get(path, { ...filters, ...more }, signal)));
    } catch (refusal) {
      what({ items: [] });
      failed(refusal);
    }
    show();
  };
  show();
  read((page) => (list = page), '/v1/throttles', { after });
  read((page) => (sums.time = page.items), '/v1/throttles/sums', { by: 'time', step });
  for (const by of ['principal', 'tool', 'level']) {
    read((page) => (sums[by] = page.items), '/v1/throttles/sums', { by });
  }
}

function stepOf(filters) {
  const until = filters.until ? new Date(filters.until) : Date.now();
  const hours = filters.from ? (until - new Date(filters.from)) / HOUR_MS : Infinity;
  return hours <= 6 ? 'minute' : hours <= 240 ? 'hour' : 'day';
}

function view(said, filters, list, sums, step) {
  const top = (by, label, cell) => html`<section class="card"><h2>By ${label}</h2>${table(`Throttled calls by ${label}`, [
    { label: label[0].toUpperCase() + label.slice(1), kind: 'name', head: true, cell },
    { label: 'Calls', kind: 'number', cell: (sum) => number(sum.calls) },
  ], sums[by]?.slice(0, 10) ?? null, 'None.')}</section>`;
  return html`
    <div class="head"><h1 tabindex="-1">History of throttles</h1>
      <div class="right">${exports('/v1/throttles/export', filters)}</div></div>
    ${filter('history', said, fields)}
    <section class="card"><h2>Throttled calls per ${step}</h2>
      ${sums.time?.length === 0 ? html`<p class="help">None in this time.</p>` : nothing}
      <weir-plot .series=${series} .data=${course(sums.time ?? [], step, filters)} role="img" ?hidden=${sums.time?.length === 0}
        aria-label="Throttled calls per ${step}"></weir-plot></section>
    <div class="columns">
      ${top('principal', 'client', (sum) => principal(sum.principal))}
      ${top('tool', 'tool', (sum) => html`<a class="code" href=${link('history', { ...said, after: '', tool: sum.tool, route: sum.route })}>${sum.tool || '(none)'}</a>
        ${sum.route ? html`on <span class="code">${sum.route}</span>` : nothing}`)}
      ${top('level', 'level', (sum) => words(sum.level))}
    </div>
    <section class="card"><h2>Row by row</h2>${table('Throttles', columns, list?.items ?? null, 'Nobody was throttled in this time.')}
      ${list ? pager('history', said, list.next) : nothing}</section>`;
}

/** All steps of the time that is shown, also those without calls. */
function course(sums, step, filters) {
  if (sums.length === 0) {
    return [[], []];
  }
  const seconds = STEPS[step];
  const calls = new Map(sums.map((sum) => [new Date(sum.at) / 1000, sum.calls]));
  const known = [...calls.keys()];
  const floor = (at) => Math.floor(at / seconds) * seconds;
  const first = floor(filters.from ? Math.min(new Date(filters.from) / 1000, known[0]) : known[0]);
  const last = floor((filters.until ? new Date(filters.until) : Date.now()) / 1000);
  const all = [];
  for (let at = first; at <= last && all.length < 2_000; at += seconds) {
    all.push(at);
  }
  return [all, all.map((at) => calls.get(at) ?? null)];
}

const columns = [
  { label: 'At', head: true, cell: (row) => time(row.happened_at) },
  { label: 'Principal', kind: 'name', cell: (row) => principal(row.principal, { route: row.route, tool: row.tool }) },
  { label: 'Tool', kind: 'name', cell: (row) => html`<span class="code">${row.tool || '–'}</span>` },
  { label: 'Route', cell: (row) => html`<span class="code">${row.route || '–'}</span>` },
  { label: 'Level', cell: (row) => words(row.level) },
  { label: 'Decision', cell: (row) => mark(row.decision === 'throttled' ? 'throttled' : 'requests', words(row.decision)) },
  { label: 'Calls', kind: 'number', cell: (row) => number(row.calls) },
  { label: 'Node', cell: (row) => row.node || '–' },
];
