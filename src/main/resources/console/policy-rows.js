/**
 * The rows of a table of the policy, as a list.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { value } from './format.js';
import { pager, table } from './list.js';
import { failed } from './notice.js';
import { link } from './router.js';

/** What lists show; a row's own page shows everything. */
const shown = {
  tiers: ['name', 'rate_per_second', 'burst', 'cooldown_seconds', 'max_concurrent', 'max_wait_ms', 'mode'],
  tools: ['route', 'kind', 'name', 'tier', 'cost', 'access', 'enabled'],
  routes: ['prefix', 'upstream_url', 'kind', 'enabled'],
  clients: ['id', 'name', 'enabled', 'exempt', 'role'],
};

/** The columns that a list shows. */
const columnsOf = (described) =>
  shown[described.path]?.map((name) => described.columns.find((column) => column.name === name)).filter(Boolean)
  ?? described.columns.filter((column) => column.name !== 'sha256');

/** The address of a row's page. */
export const rowLink = (item) => link(`policy/${item.self.replace('/v1/', '')}`);

/** What names a row, for people. */
export const nameOf = (described, row) =>
  described.columns.filter((column) => column.key).map((column) => row[column.name]).join(' ');

/**
 * A list that reads itself.
 *
 * @param {object} query what narrows it down
 * @param {() => void} show draws again
 * @param {object} [preset] what new rows begin with
 * @returns {() => unknown} what is to be drawn
 */
export function rows({ signal }, described, query, show, preset = query) {
  let list = null;
  api.get(`/v1/${described.path}`, query, signal)
    .then((page) => (list = page))
    .catch((refusal) => {
      list = { items: [] };
      failed(refusal);
    })
    .finally(show);
  const begin = Object.fromEntries(Object.entries(preset).filter(([name]) => described.columns.some((column) => column.name === name)));
  const label = (column) => (column.unit ? `${column.name} (${column.unit})` : column.name);
  const kept = columnsOf(described);
  // The last part of a key tells rows apart best.
  const named = Math.max(0, kept.findLastIndex((column) => column.key));
  const columns = kept.map((column, at) => ({
    label: label(column),
    kind: ['whole', 'number'].includes(column.type) ? 'number' : at === named || column.key ? 'name' : undefined,
    head: at === named,
    cell: (item) => (at === named ? html`<a href=${rowLink(item)}>${value(item.row[column.name], column.type)}</a>` : value(item.row[column.name], column.type)),
  }));
  columns.push({
    label: 'Open',
    kind: 'act',
    cell: (item) => html`<a class="button small" href=${rowLink(item)} aria-label="${api.may('admin') ? 'Change' : 'Show'} ${nameOf(described, item.row)}">${
      api.may('admin') ? 'Change' : 'Show'}</a>`,
  });
  return () => html`<div class="head"><h2>${described.title}</h2>${api.may(described.createRole) ? html`<div class="right">
      <a class="button" href=${link(`policy/${described.path}/new`, begin)}>New row …</a></div>` : nothing}</div>
    ${table(described.title, columns, list?.items ?? null, 'There is no row.')}
    ${list ? pager(`policy/${described.path}`, query, list.next) : nothing}`;
}
