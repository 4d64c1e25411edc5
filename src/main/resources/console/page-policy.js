/**
 * The policy: what its tables have, and ways to change them.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { filter, tabs } from './list.js';
import { failed } from './notice.js';
import { rows } from './policy-rows.js';
import { openRow } from './policy-row.js';
import { settings } from './policy-settings.js';
import { strays } from './policy-strays.js';
import { link } from './router.js';

export const title = 'Policy';

const tabOf = {
  tiers: 'tiers', tools: 'tools', routes: 'routes', 'route-targets': 'routes', 'route-headers': 'routes', clients: 'clients',
  'client-keys': 'clients', 'client-tokens': 'clients', 'client-routes': 'clients', 'client-tools': 'clients', settings: 'settings',
};

const all = [
  ['tiers', 'Tiers', 'policy/tiers'], ['tools', 'Tools', 'policy/tools'], ['routes', 'Routes', 'policy/routes'],
  ['clients', 'Clients', 'policy/clients'], ['settings', 'Settings', 'policy/settings'],
];

let catalogue = null;

/** Shows the page. */
export async function open(page) {
  const { draw, signal, name } = page;
  const path = page.parts[0] ?? 'tiers';
  const top = (content) => html`<div class="head"><h1 tabindex="-1">Policy</h1>
      ${api.may('admin') ? nothing : html`<p class="lead">You may look at it; changing it takes the role admin.</p>`}</div>
    ${tabs('Policy', tabOf[path], all)}${content}`;
  draw(top(html`<p class="help" role="status">Reading …</p>`));
  try {
    catalogue ??= (await api.get('/v1/tables', {}, signal)).items;
  } catch (refusal) {
    failed(refusal);
    return;
  }
  const described = catalogue.find((each) => each.path === path);
  if (!described) {
    draw(top(html`<p>The policy has no such table. <a href=${link('policy')}>Tiers</a></p>`));
    return;
  }
  name(`${described.title} – policy`);
  const inner = { ...page, draw: (content) => draw(top(content)), catalogue };
  if (page.parts.length > 1) {
    openRow(inner, described, page.parts.slice(1));
  } else if (path === 'settings') {
    settings(inner, described);
  } else {
    openList(inner, described);
  }
}

function openList(page, described) {
  const { query, draw, catalogue: tables } = page;
  const keys = described.columns.filter((column) => column.key || column.refersTo);
  const path = `policy/${described.path}`;
  const fields = keys.map((column) => ({
    name: column.name,
    label: column.name,
    words: column.words.length ? [['', 'all'], ...column.words.map((word) => [word, word])] : undefined,
  }));
  const parts = [];
  const show = () =>
    draw(html`<p class="lead">${described.meaning}</p>
      ${described.path === 'tools' ? parts[1]?.() ?? nothing : nothing}
      ${filter(path, query, fields)}
      <section class="card">${parts[0]?.() ?? nothing}</section>
      ${described.path === 'routes' || described.path === 'clients' ? also(tables, described) : nothing}`);
  parts[0] = rows(page, described, query, show);
  if (described.path === 'tools') {
    parts[1] = strays(page, show, () => (parts[0] = rows(page, described, query, show)));
  }
  show();
}

/** Tables whose rows belong to those of this one, as whole lists. */
function also(tables, described) {
  const children = tables.filter((each) => tabOf[each.path] === described.path && each.path !== described.path);
  return html`<p class="help">All rows of ${children.map((each, at) => html`${at ? ', ' : ''}<a href=${link(`policy/${each.path}`)}>${each.title}</a>`)}.
    A row's own page shows what belongs to it.</p>`;
}
