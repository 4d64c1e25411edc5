/**
 * Bans: those that hold, with the time that is left, and those that are over.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { ask } from './dialog.js';
import { badge, duration, mark, number, time, words } from './format.js';
import { choice, exports, filter, pager, principal, table, tabs } from './list.js';
import { failed, inform } from './notice.js';
import { go, link } from './router.js';
import './left.js';

export const title = 'Bans';

const AGAIN_MS = 3_000;

const fields = [
  { name: 'principal', label: 'Principal', hint: 'client:ID' },
  { name: 'route', label: 'Route' },
  { name: 'tool', label: 'Tool' },
];

const past = [
  { name: 'state', label: 'State', words: choice('all', 'active', 'ended', 'lifted') },
  ...fields,
  { name: 'from', label: 'From', type: 'datetime-local' },
  { name: 'until', label: 'Until', type: 'datetime-local' },
];

/** Shows the page. */
export function open(page) {
  const { parts, draw, signal } = page;
  if (parts[0] === 'id') {
    one(page, parts[1]);
    return;
  }
  const history = parts[0] === 'history';
  const path = history ? 'bans/history' : 'bans';
  const query = page.query;
  let list = null;
  const show = () =>
    draw(html`
      <div class="head"><h1 tabindex="-1">Bans</h1>
        <div class="right">${api.may('operator') ? html`<button type="button" @click=${() => byHand(query.principal).then(() => look())}>Ban by hand …</button>` : nothing}
          ${history ? exports('/v1/bans/export', query) : nothing}</div></div>
      ${tabs('Bans', history ? 'history' : 'active', [['active', 'Active', 'bans'], ['history', 'History', 'bans/history']])}
      ${filter(path, query, history ? past : fields)}
      <section class="card">${table(history ? 'History of bans' : 'Active bans', history ? over(look) : active(look), list?.items ?? null,
        history ? 'No ban is like that.' : 'Nobody is banned.')}
        ${list ? pager(path, query, list.next) : nothing}</section>`);
  const look = async (ask = api.get) => {
    try {
      list = await ask('/v1/bans', { ...query, ...(history ? {} : { state: 'active' }) }, signal);
    } catch (refusal) {
      failed(refusal);
    }
    show();
  };
  show();
  look();
  if (!history) {
    const timer = setInterval(() => document.hidden || look(api.refresh), AGAIN_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  }
}

const where = (ban) => html`<span class="code">${ban.tool ?? ''}</span>${ban.tool && ban.route ? ' on ' : ''}<span class="code">${ban.route ?? ''}</span>`;
const who = { label: 'Principal', kind: 'name', head: true, cell: (ban) => principal(ban.principal, { route: ban.route, tool: ban.tool }) };
const reason = { label: 'Reason', kind: 'name', cell: (ban) => ban.reason };
const acts = (look) => ({
  label: 'What can be done',
  kind: 'act',
  cell: (ban) => html`<a class="button small" href=${link(`bans/id/${ban.id}`)} aria-label="Evidence against ${ban.principal}">Evidence</a>
    ${ban.state === 'active' && api.may('operator')
      ? html` <button type="button" class="small" aria-label="Lift the ban of ${ban.principal}" @click=${() => lift(ban).then(() => look())}>Lift …</button>` : nothing}`,
});
const scopes = { tools: 'calls of tools', all: 'everything' };

const active = (look) => [
  who,
  { label: 'Time left', kind: 'number', cell: (ban) => html`<weir-left until=${ban.expires_at}></weir-left>` },
  { label: 'Shut out of', cell: (ban) => scopes[ban.scope] ?? ban.scope },
  reason,
  { label: 'Where', kind: 'name', cell: where },
  { label: 'Strikes', kind: 'number', cell: strikes },
  { label: 'Since', cell: (ban) => time(ban.started_at) },
  { label: 'By', cell: (ban) => ban.banned_by ?? 'Weir' },
  acts(look),
];

const over = (look) => [
  who,
  { label: 'State', cell: state },
  { label: 'Since', cell: (ban) => time(ban.started_at) },
  { label: 'For', cell: (ban) => duration((new Date(ban.expires_at) - new Date(ban.started_at)) / 1000) },
  reason,
  { label: 'Where', kind: 'name', cell: where },
  { label: 'Strikes', kind: 'number', cell: strikes },
  { label: 'By', cell: (ban) => ban.banned_by ?? 'Weir' },
  { label: 'Lifted', kind: 'name', cell: (ban) => (ban.lifted_at ? html`${time(ban.lifted_at)} by ${ban.lifted_by}: ${ban.lift_reason}` : '–') },
  acts(look),
];

function strikes(ban) {
  return ban.strikes ? `${number(ban.strikes)} in ${ban.window_seconds} s` : '–';
}

function state(ban) {
  return { active: mark('banned', 'active'), ended: badge('off', 'ended'), lifted: badge('good', 'lifted') }[ban.state] ?? ban.state;
}

async function one({ draw, signal, name }, id) {
  let ban = null;
  let trouble = null;
  const look = async () => {
    try {
      ban = await api.get(`/v1/bans/${api.segment(id)}`, {}, signal);
      name(`Ban of ${ban.principal}`);
    } catch (refusal) {
      trouble = refusal;
      failed(refusal);
    }
    show();
  };
  const row = (label, content) => html`<dt>${label}</dt><dd>${content}</dd>`;
  const show = () =>
    draw(html`
      <div class="head"><h1 tabindex="-1">Ban${ban ? html` of <span class="code">${ban.principal}</span>` : nothing}</h1>
        <div class="right"><a class="button" href=${link('bans')}>All bans</a>
        ${ban?.state === 'active' && api.may('operator') ? html`<button type="button" @click=${() => lift(ban).then(() => look())}>Lift …</button>` : nothing}</div></div>
      ${!ban ? html`<p class="help">${trouble ? trouble.message : 'Reading …'}</p>` : html`
      <section class="card"><dl class="facts">
        ${row('state', html`${state(ban)}${ban.state === 'active' ? html`, <weir-left until=${ban.expires_at}></weir-left> left` : nothing}`)}
        ${row('shut out of', scopes[ban.scope])}
        ${row('reason', ban.reason)}
        ${row('from', html`${time(ban.started_at)} to ${time(ban.expires_at)}`)}
        ${row('strikes', strikes(ban))}
        ${row('banned by', ban.banned_by ?? 'Weir itself')}
        ${ban.escalation ? row('escalation', `${ban.escalation} earlier bans made it longer`) : nothing}
        ${ban.lifted_at ? row('lifted', html`${time(ban.lifted_at)} by ${ban.lifted_by}: ${ban.lift_reason}`) : nothing}
        ${row('node', ban.node || '–')}
        ${row('more', html`<a href=${link('explain', { principal: ban.principal, route: ban.route, tool: ban.tool })}>Explain</a>,
          <a href=${link('history', { principal: ban.principal })}>throttles</a>, <a href=${link('bans/history', { principal: ban.principal })}>its other bans</a>`)}
      </dl></section>
      <section class="card"><h2>Evidence</h2>${table('Strikes', [
        { label: 'At', head: true, cell: (strike) => time(strike.at) },
        { label: 'Tool', kind: 'name', cell: (strike) => html`<span class="code">${strike.tool ?? '–'}</span>` },
        { label: 'Route', cell: (strike) => html`<span class="code">${strike.route}</span>` },
        { label: 'Level', cell: (strike) => words(strike.level) },
        { label: 'Arguments (digest)', kind: 'name', cell: (strike) => html`<span class="code">${strike.arguments ?? '–'}</span>` },
      ], ban.evidence, 'It was made by hand, or its strikes were not written down.')}
      <p class="help">Equal digests are equal arguments: a caller that asks the same again and again is in a loop.</p></section>`}`);
  show();
  await look();
}

async function lift(ban) {
  const lifted = await ask({
    title: `Lift the ban of ${ban.principal}?`,
    body: html`<p>It may call again at once, at all nodes. Its buckets stay as they are. A lifted ban makes no later one longer.</p>
      <div class="fields"><label for="lift-reason">Reason, for the history</label><input id="lift-reason" name="reason" required maxlength="512" autofocus /></div>`,
    yes: 'Lift the ban',
    work: (data) => api.post(`/v1/bans/${api.segment(ban.id)}/lift`, { reason: data.get('reason') }),
  });
  if (lifted) {
    inform(`The ban of ${ban.principal} is lifted${lifted.recorded === false ? '; it will be written down when the database is back' : ''}.`);
  }
}

async function byHand(principalName = '') {
  const made = await ask({
    title: 'Ban by hand',
    body: html`<p>It holds from now on, at all nodes, for everything that this principal sends.</p>
      <div class="fields"><label for="ban-principal">Principal</label>
        <input id="ban-principal" name="principal" required .value=${principalName} placeholder="client:ID" aria-describedby="ban-principal-help" autofocus />
        <p class="help" id="ban-principal-help">client:ID, user:SUBJECT, key:DIGITS or address:ADDRESS</p>
        <label for="ban-scope">Shut out of</label>
        <select id="ban-scope" name="scope"><option value="tools">calls of tools</option><option value="all">everything</option></select>
        <label for="ban-minutes">For how long, in minutes</label>
        <input id="ban-minutes" name="minutes" type="number" min="1" max="5256000" value="15" required />
        <label for="ban-reason">Reason; the caller is told</label><input id="ban-reason" name="reason" required maxlength="512" /></div>`,
    yes: 'Ban',
    destroys: true,
    work: (data) => api.post('/v1/bans', {
      principal: data.get('principal').trim(),
      scope: data.get('scope'),
      duration_seconds: Number(data.get('minutes')) * 60,
      reason: data.get('reason'),
    }),
  });
  if (made) {
    inform(`${made.principal} is banned. ${made.note ?? ''}`);
    go('bans');
  }
}
