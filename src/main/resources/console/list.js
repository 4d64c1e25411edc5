/**
 * Tables, filters and pages of long lists.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import { address } from './api.js';
import { go, link } from './router.js';

/**
 * A table.
 *
 * @param {string} caption what it is of, for those who cannot see where it stands
 * @param {{label: string, cell: (item: object) => unknown, kind?: 'number'|'name'|'act', head?: boolean}[]} columns
 * @param {object[]|null} items null while they are not known
 * @param {string} empty what is said if there are none
 */
export function table(caption, columns, items, empty) {
  if (items === null) {
    return html`<p class="help" role="status">Reading …</p>`;
  }
  if (items.length === 0) {
    return html`<p class="help">${empty}</p>`;
  }
  const cell = (column, item) =>
    column.head
      ? html`<th scope="row" class=${column.kind ?? ''} data-label=${column.label}><span>${column.cell(item)}</span></th>`
      : html`<td class=${column.kind ?? ''} data-label=${column.kind === 'act' ? nothing : column.label}><span>${column.cell(item)}</span></td>`;
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0"><table class="stack">
    <caption class="hidden">${caption}</caption>
    <thead><tr>${columns.map((column) =>
      html`<th scope="col" class=${column.kind ?? ''}>${column.kind === 'act' ? html`<span class="hidden">${column.label}</span>` : column.label}</th>`)}</tr></thead>
    <tbody>${items.map((item) => html`<tr>${columns.map((column) => cell(column, item))}</tr>`)}</tbody>
  </table></div>`;
}

/** Links to the first and to the next page. The one before is where the browser's Back leads. */
export function pager(path, query, next) {
  if (!next && !query.after) {
    return nothing;
  }
  return html`<nav class="pager" aria-label="Pages of the list">
    ${query.after ? html`<a class="button" href=${link(path, { ...query, after: '' })}>First page</a>` : nothing}
    ${next ? html`<a class="button" href=${link(path, { ...query, after: next })}>Next page</a>` : html`<span>This is the last page.</span>`}
  </nav>`;
}

/**
 * Fields that narrow a list down; what they say is in the address.
 *
 * @param {{name: string, label: string, words?: string[], type?: string, hint?: string}[]} fields
 */
export function filter(path, query, fields) {
  const submit = (event) => {
    event.preventDefault();
    const said = Object.fromEntries(new FormData(event.target));
    for (const field of fields.filter((each) => each.type === 'datetime-local')) {
      said[field.name] = said[field.name] ? new Date(said[field.name]).toISOString() : '';
    }
    go(path, said);
  };
  const input = (field) => {
    const value = query[field.name] ?? '';
    if (field.words) {
      return html`<select name=${field.name} @change=${(event) => event.target.form.requestSubmit()}>
        ${field.words.map(([word, text]) => html`<option value=${word} ?selected=${word === value}>${text}</option>`)}</select>`;
    }
    return html`<input name=${field.name} type=${field.type ?? 'search'} placeholder=${field.hint ?? nothing}
      step=${field.type ? '1' : nothing} .value=${field.type === 'datetime-local' ? localInput(value) : value} autocomplete="off" />`;
  };
  return html`<form class="filter" role="search" aria-label="Filter" @submit=${submit}>
    ${fields.map((field) => html`<label>${field.label}${input(field)}</label>`)}
    <button>Filter</button>
    <a class="button" href=${link(path)}>All</a>
  </form>`;
}

/** An instant as a field for times takes it, in the browser's zone. */
export function localInput(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? '' : new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Words of a filter: the first stands for all. */
export const choice = (all, ...words) => [['', all], ...words.map((word) => [word, word.replaceAll('_', ' ')])];

/** Links to all of a list as files. */
export function exports(path, query) {
  const { after, limit, step, ...kept } = query;
  return html`<a class="button" download href=${address(path, { ...kept, format: 'csv' })}>Export CSV</a>
    <a class="button" download href=${address(path, { ...kept, format: 'jsonl' })}>Export JSON lines</a>`;
}

/** Links between lists of one page; the arrow keys go from one to the other. */
export function tabs(label, selected, all) {
  const move = (event) => {
    const links = [...event.currentTarget.querySelectorAll('a')];
    const at = links.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to !== undefined && at >= 0) {
      event.preventDefault();
      links[(to + links.length) % links.length].focus();
    }
    if (event.key === ' ') {
      event.preventDefault();
      event.target.click();
    }
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} @keydown=${move}>
    ${all.map(([name, text, path]) => html`<a role="tab" href=${link(path)} aria-selected=${name === selected ? 'true' : 'false'}
      tabindex=${name === selected ? '0' : '-1'}>${text}</a>`)}</div>`;
}

/** Who a principal is, with ways to what is known of it. */
export function principal(name, more = {}) {
  return html`<a class="code" href=${link('explain', { principal: name, ...more })} title="Explain what would be decided of it">${name}</a>`;
}
