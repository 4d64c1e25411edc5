/**
 * Why a caller would be refused or admitted: the verdict in words, and level by level with its numbers.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { badge, mark, millis, number, rate, time, words } from './format.js';
import { table } from './list.js';
import { failed } from './notice.js';
import { go, link } from './router.js';
import './left.js';

export const title = 'Explain';

const verdicts = {
  admit: ['admitted', 'It would be admitted'],
  throttle: ['throttled', 'It would be throttled'],
  shut: ['banned', 'It is banned'],
  forbid: ['forbidden', 'It is not allowed'],
};

/** Shows the page. */
export function open({ query, draw, signal }) {
  let routes = [];
  let answer = null;
  let buckets = null;
  let trouble = null;
  const asked = Boolean(query.principal && query.route);
  const show = () => draw(html`<div class="head"><h1 tabindex="-1">Explain</h1>
      <p class="lead">What would be decided of a call now, and why. Asking takes no token and is no strike.</p></div>
    ${form(query, routes, trouble)}
    ${answer ? explained(query, answer) : asked || trouble ? nothing : query.principal ? html`<p class="help">Choose a route and, if you like, a tool.</p>` : nothing}
    ${query.principal ? html`<section class="card"><h2>Buckets of <span class="code">${query.principal}</span> at this node</h2>${live(buckets)}</section>` : nothing}`);
  const look = async () => {
    const { principal, route, tool, method } = query;
    if (asked) {
      try {
        answer = await api.get('/v1/explain', { principal, route, tool, method }, signal);
        trouble = null;
      } catch (refusal) {
        answer = null;
        trouble = refusal;
        failed(refusal);
      }
    }
    if (principal) {
      buckets = await api.get('/v1/buckets', { principal, limit: 50 }, signal).catch(() => ({ items: [] }));
    }
    show();
  };
  show();
  api.get('/v1/routes', { limit: 500 }, signal)
    .then((list) => {
      routes = list.items.map((item) => item.row.prefix);
      show();
    })
    .catch(failed);
  look();
}

function form(query, routes, trouble) {
  const submit = (event) => {
    event.preventDefault();
    const { principal, route, kind, name } = Object.fromEntries(new FormData(event.target));
    go('explain', { principal: principal.trim(), route, [kind]: name.trim(), at: Date.now() });
  };
  const fault = (name) => trouble?.faults.some((each) => each.field === name) ? 'true' : 'false';
  const known = routes.includes(query.route) || !query.route ? routes : [query.route, ...routes];
  return html`<form class="filter card" @submit=${submit}>
    <label>Principal<input name="principal" required .value=${query.principal ?? ''} placeholder="client:ID" aria-invalid=${fault('principal')} /></label>
    <label>Route<select name="route" aria-invalid=${fault('route')}>${known.map((route) => html`<option ?selected=${route === query.route}>${route}</option>`)}</select></label>
    <label>What is called<select name="kind"><option value="tool">a tool</option><option value="method" ?selected=${Boolean(query.method)}>another method</option></select></label>
    <label>Its name<input name="name" .value=${query.tool ?? query.method ?? ''} /></label>
    <button class="primary">Explain</button>
    ${trouble ? html`<p class="trouble" role="alert">${trouble.message}</p>` : nothing}
  </form>`;
}

function explained(query, answer) {
  const [kind, text] = verdicts[answer.verdict] ?? ['requests', answer.verdict];
  return html`<section class="card" aria-label="Verdict" data-verdict=${answer.verdict}>
    <div class="verdict ${answer.verdict}"><strong>${mark(kind, text)}</strong>
      <p>${answer.why}</p>
      ${answer.until ? html`<p>Until ${time(answer.until)}, in <weir-left until=${answer.until}></weir-left>, if nothing else is sent.</p>` : nothing}
      ${answer.retryAfterMs ? html`<p>Retry-After: ${millis(answer.retryAfterMs)}.</p>` : nothing}
      ${answer.exempt ? html`<p>${badge('off', 'exempt')} No limit and no ban stops it.</p>` : nothing}
      ${answer.ban ? html`<p>${answer.ban.shutsThis ? nothing : `A ban holds that does not shut this: ${answer.ban.reason}. `}<a href=${link(`bans/id/${answer.ban.id}`)}>The ban and its evidence</a></p>` : nothing}
      ${answer.permission ? html`<p>Permission: ${answer.permission.why}${answer.permission.scopes?.length
        ? html`; it needs ${answer.permission.scopes.map((scope) => html`<code>${scope}</code> `)}` : nothing}.</p>` : nothing}
    </div>
    <h2>Level by level</h2>${table('Levels', columns, answer.levels, 'Nothing is counted for such a call.')}
    ${answer.strikes ? html`<p>Strikes: <b>${number(answer.strikes.count)}</b> of ${number(answer.strikes.threshold)} that are borne in
      ${answer.strikes.windowSeconds} s.${answer.strikes.bannedForSeconds
        ? html` ${mark('banned', `One more would ban it for ${answer.strikes.bannedForSeconds} s.`)}` : nothing}</p>` : nothing}
    ${answer.assumes?.length ? html`<p class="help">This assumes ${answer.assumes.join('; ')}.</p>` : nothing}
    <p class="help"><a href=${link('history', { principal: query.principal })}>Its throttles</a>,
      <a href=${link('bans/history', { principal: query.principal })}>its bans</a></p>
  </section>`;
}

function left(level) {
  return html`<meter min="0" max=${level.burst} value=${level.tokensLeft} aria-label="Tokens left"></meter>
    ${number(level.tokensLeft)} of ${number(level.burst)}`;
}

const columns = [
  { label: 'Level', head: true, cell: (level) => words(level.level) },
  { label: 'Verdict', cell: (level) => html`${level.passes ? mark('admitted', 'passes') : mark('throttled', words(level.reason ?? 'refuses'))}
    ${level.mode === 'shadow' ? badge('off', 'only tried') : nothing}` },
  { label: 'Tier', kind: 'name', cell: (level) => level.tier },
  { label: 'Limit', kind: 'number', cell: (level) => rate(level.limit) },
  { label: 'Tokens left', cell: left },
  { label: 'Cost', kind: 'number', cell: (level) => number(level.cost) },
  { label: 'Wait', kind: 'number', cell: (level) => (level.waitMs === null ? 'never passes' : level.waitMs ? millis(level.waitMs) : '–') },
  { label: 'Cool-down', cell: (level) => (level.coolingMs ? `${millis(level.coolingMs)} left` : level.cooldownMs ? `${millis(level.cooldownMs)} after a refusal` : '–') },
  { label: 'In flight', kind: 'number', cell: (level) => (level.maxConcurrent ? `${level.inFlight} of ${level.maxConcurrent}` : '–') },
  { label: 'Comes from', kind: 'name', cell: (level) => (level.from ?? []).map(origin) },
];

const paths = { tool_tier: 'tiers', tool: 'tools', route: 'routes', client: 'clients', client_tool: 'client-tools', client_route: 'client-routes' };

function origin(from) {
  const key = Object.values(from.key ?? {});
  const text = `${from.table} [${key.join(' ')}]${from.row ? '' : ', by default'}`;
  if (!from.row || !(paths[from.table] || from.table === 'setting')) {
    return html`<div class="help">${text}</div>`;
  }
  const path = from.table === 'setting' ? 'policy/settings' : `policy/${paths[from.table]}/${key.map(api.segment).join('/')}`;
  return html`<div><a href=${link(path)}>${text}</a></div>`;
}

function live(buckets) {
  return table('Buckets', [
    { label: 'Level', head: true, cell: (bucket) => words(bucket.level) },
    { label: 'Tool', kind: 'name', cell: (bucket) => html`<span class="code">${bucket.tool || '–'}</span>` },
    { label: 'Route', cell: (bucket) => html`<span class="code">${bucket.route || '–'}</span>` },
    { label: 'Tier', cell: (bucket) => bucket.tier ?? '–' },
    { label: 'Limit', kind: 'number', cell: (bucket) => rate(bucket.limit) },
    { label: 'Tokens left', cell: left },
    { label: 'Full in', kind: 'number', cell: (bucket) => millis(bucket.fullInMs) },
    { label: 'Cooling down', kind: 'number', cell: (bucket) => (bucket.coolingMs ? millis(bucket.coolingMs) : '–') },
    { label: 'In flight', kind: 'number', cell: (bucket) => number(bucket.inFlight) },
  ], buckets?.items ?? null, 'All are full: it has not called lately, or not here.');
}
