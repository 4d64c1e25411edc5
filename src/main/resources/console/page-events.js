/**
 * What operators have changed, with what was there before.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { time, words } from './format.js';
import { choice, exports, filter, pager, table } from './list.js';
import { failed } from './notice.js';
import { diff } from './diff.js';

export const title = 'Events';

/** Shows the page. */
export function open({ query, draw, signal }) {
  let tables = [];
  let list = null;
  const fields = () => [
    { name: 'table', label: 'Table', words: choice('all', ...new Set([...tables, query.table].filter(Boolean))) },
    { name: 'row', label: 'Row' },
    { name: 'by', label: 'Changed by' },
    { name: 'action', label: 'Action', words: choice('all', 'insert', 'update', 'delete', 'truncate') },
    { name: 'from', label: 'From', type: 'datetime-local' },
    { name: 'until', label: 'Until', type: 'datetime-local' },
  ];
  const show = () =>
    draw(html`<div class="head"><h1 tabindex="-1">Admin events</h1>
        <p class="lead">Every change of the policy, whoever made it, here or in the database.</p>
        <div class="right">${exports('/v1/events/export', query)}</div></div>
      ${filter('events', query, fields())}
      <section class="card">${table('Admin events', columns, list?.items ?? null, 'No change is like that.')}
        ${list ? pager('events', query, list.next) : nothing}</section>`);
  show();
  api.get('/v1/tables', {}, signal)
    .then((page) => {
      tables = page.items.map((each) => each.name);
      show();
    })
    .catch(failed);
  api.get('/v1/events', query, signal)
    .then((page) => {
      list = page;
    })
    .catch((refusal) => {
      list = { items: [] };
      failed(refusal);
    })
    .finally(show);
}

const columns = [
  { label: 'At', head: true, cell: (event) => time(event.happened_at) },
  { label: 'By', kind: 'name', cell: (event) => event.changed_by },
  { label: 'Action', cell: (event) => words(event.action) },
  { label: 'Table', cell: (event) => html`<code>${event.table_name}</code>` },
  { label: 'Row', kind: 'name', cell: (event) => html`<span class="code">${event.row_name || '–'}</span>` },
  { label: 'What changed', kind: 'name', cell: (event) => diff(event.before, event.after) ?? nothing },
];
