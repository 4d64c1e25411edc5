/**
 * What happens now: numbers by the second, who and what causes them, and how Weir stands.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { badge, clock, mark, rate, time, number } from './format.js';
import { watch } from './live.js';
import { principal, table } from './list.js';
import { link } from './router.js';
import { banners, facts } from './state.js';
import './plot.js';

export const title = 'Now';

const STATE_MS = 5_000;

const series = [
  { name: 'requests', label: '○ requests/s', colour: 'requests', dash: [2, 3] },
  { name: 'admitted', label: '● admitted/s', colour: 'admitted', width: 2 },
  { name: 'throttled', label: '▲ throttled/s', colour: 'throttled', width: 2, dash: [8, 3] },
  { name: 'banned', label: '■ banned/s', colour: 'banned', width: 2, dash: [3, 2] },
];

/** Shows the page. */
export function open({ query, draw, signal }) {
  let state = null;
  let node = query.node ?? '';
  const chooses = (event) => {
    node = event.target.value;
    show();
  };
  const stream = watch(signal, () => show());
  const show = () => draw(view(stream, state, node, chooses));
  const look = async () => {
    try {
      state = await api.refresh('/v1/state', {}, signal);
      show();
    } catch {
      // The stream's line tells that Weir does not answer.
    }
  };
  show();
  look();
  const timer = setInterval(() => document.hidden || look(), STATE_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

function view(stream, state, node, chooses) {
  const live = stream.live;
  const nodes = live?.nodes ?? [];
  tellApart(live);
  const several = nodes.length > 1;
  const here = (each) => !node || each.id === node;
  const sum = (name) => (live ? nodes.filter(here).reduce((all, each) => all + (each[name] ?? 0), 0) : null);
  return html`
    <div class="head"><h1 tabindex="-1">Now</h1>${line(stream)}
      ${several ? html`<div class="right"><label>Node <select @change=${chooses}>
        <option value="">all ${nodes.length} together</option>
        ${nodes.map((each) => html`<option value=${each.id} ?selected=${each.id === node}>${each.label}${each.here ? ' (this one)' : ''}</option>`)}
      </select></label></div>` : nothing}</div>
    ${banners(state, nodes)}
    <section class="card" aria-label="Calls per second">
      <div class="tiles">${series.map(({ name }) => html`<div class="tile ${name}">${mark(name)}<b data-live=${name}>${rate(sum(name))}</b></div>`)}
        <div class="tile"><span class="lead">bans active</span><b data-live="bans"><a href=${link('bans')}>${number(most(nodes, 'bansActive'))}</a></b></div>
        <div class="tile"><span class="lead">in flight</span><b>${number(sum('exchanges'))}</b></div></div>
      <weir-plot .series=${series} .data=${stream.data(node)} role="img"
        aria-label="Requests, admitted, throttled and banned calls per second over the last five minutes"></weir-plot>
    </section>
    <div class="columns">
      <section class="card"><h2>Top principals</h2>${principals(live, here, several)}</section>
      <section class="card"><h2>Top tools</h2>${tools(live, here, several)}</section>
      ${several ? html`<section class="card"><h2>Nodes</h2>${byNode(nodes)}</section>` : nothing}
      <section class="card"><h2>Breakers</h2>${breakers(live, state, here, several)}</section>
      <section class="card"><h2>Upstreams</h2>${upstreams(state)}</section>
      <section class="card"><h2>This node</h2>${facts(state)}</section>
    </div>`;
}

/** Two nodes on one host have the same name, and are told apart by their ids. */
function tellApart(live) {
  const names = live?.nodes.map((each) => each.node) ?? [];
  for (const each of live ? [...live.nodes, ...live.principals, ...live.tools, ...live.breakers] : []) {
    each.label = names.indexOf(each.node) === names.lastIndexOf(each.node) ? each.node : each.id;
  }
}

/** All nodes know of the same bans; the latest to hear of one counts. */
const most = (nodes, name) => (nodes.length ? Math.max(...nodes.map((each) => each[name] ?? 0)) : null);

function line(stream) {
  const since = stream.since ? html` since <time datetime=${stream.since.toISOString()}>${clock(stream.since)}</time>` : nothing;
  if (stream.interrupted) {
    return html`<p role="status" data-stream="interrupted">${badge('bad', 'Interrupted')}${since}. The numbers are old; trying again …</p>`;
  }
  return html`<p data-stream=${stream.live ? 'live' : 'opening'}>${stream.live ? badge('good', 'Live') : 'Opening the stream …'}</p>`;
}

const nodeColumn = { label: 'Node', cell: (each) => each.label };

function principals(live, here, several) {
  return table(
    'Top principals',
    [
      { label: 'Principal', kind: 'name', head: true, cell: (each) => principal(each.principal) },
      ...(several ? [nodeColumn] : []),
      { label: 'Calls', kind: 'number', cell: (each) => rate(each.calls) },
      { label: 'Refused', kind: 'number', cell: (each) => (each.throttled ? mark('throttled', rate(each.throttled)) : rate(0)) },
      { label: 'More', kind: 'act', cell: (each) => html`<a class="button small" href=${link('bans/history', { principal: each.principal })}
        aria-label="Bans of ${each.principal}">Bans</a>` },
    ],
    live ? live.principals.filter(here) : null,
    'Nobody has called in the last seconds.',
  );
}

function tools(live, here, several) {
  return table(
    'Top tools',
    [
      { label: 'Tool', kind: 'name', head: true, cell: (each) => html`<span class="code">${each.tool || '(unnamed)'}</span>` },
      { label: 'Route', cell: (each) => html`<span class="code">${each.route}</span>` },
      ...(several ? [nodeColumn] : []),
      { label: 'Calls', kind: 'number', cell: (each) => rate(each.calls) },
      { label: 'Throttled', kind: 'number', cell: (each) => (each.throttled ? mark('throttled', rate(each.throttled)) : rate(0)) },
      { label: 'Banned', kind: 'number', cell: (each) => (each.banned ? mark('banned', rate(each.banned)) : rate(0)) },
    ],
    live ? live.tools.filter(here) : null,
    'No tool has been called in the last seconds.',
  );
}

function byNode(nodes) {
  return table(
    'Nodes',
    [
      { label: 'Node', kind: 'name', head: true, cell: (each) => html`${each.label}${each.here ? ' (this one)' : ''}` },
      { label: 'Requests', kind: 'number', cell: (each) => rate(each.requests) },
      { label: 'Throttled', kind: 'number', cell: (each) => rate(each.throttled) },
      { label: 'Banned', kind: 'number', cell: (each) => rate(each.banned) },
      { label: 'State', cell: (each) => each.away ? html`${badge('bad', 'away')} since ${time(each.seenAt)}`
        : each.policyOk === false ? badge('bad', 'policy rejected')
        : each.databaseUp === false ? badge('warn', 'database away') : badge('good', 'well') },
    ],
    nodes,
    '',
  );
}

const tones = { closed: 'good', half_open: 'warn', open: 'bad', up: 'good', down: 'bad' };

function breakers(live, state, here, several) {
  return table(
    'Breakers',
    [
      { label: 'Route', kind: 'name', head: true, cell: (each) => html`<span class="code">${each.route}</span>` },
      ...(several ? [nodeColumn] : []),
      { label: 'State', cell: (each) => badge(tones[each.state] ?? 'warn', String(each.state).replace('_', ' ')) },
      { label: 'Since', cell: (each) => time(each.since) },
      { label: 'Next try', cell: (each) => (each.nextProbe ? time(each.nextProbe) : '–') },
    ],
    live?.breakers?.filter(here) ?? state?.breakers ?? null,
    'No route has a breaker.',
  );
}

function upstreams(state) {
  return table(
    'Upstreams',
    [
      { label: 'Target', kind: 'name', head: true, cell: (each) => html`<span class="code">${each.target}</span>` },
      { label: 'Route', cell: (each) => html`<span class="code">${each.route}</span>` },
      { label: 'State', cell: (each) => badge(tones[each.state] ?? 'warn', each.state) },
      { label: 'Since', cell: (each) => time(each.since) },
      { label: 'Seen by', cell: (each) => each.by },
    ],
    state?.upstreams ?? null,
    'No upstream is watched.',
  );
}
