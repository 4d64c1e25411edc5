/**
 * Fields of a row, made from what the API says of its columns.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import { live } from './lib/lit-html/directives/live.js';
import { ifDefined } from './lib/lit-html/directives/if-defined.js';
import { value as shown } from './format.js';
import { localInput } from './list.js';

/** What a field says, as the API takes it. */
export function read(column, input) {
  if (column.type === 'flag') {
    return input.checked;
  }
  const text = input.value;
  if (text === '' && (column.nullable || column.type !== 'text')) {
    return null;
  }
  if (column.type === 'whole' || column.type === 'number') {
    return Number.isNaN(Number(text)) ? text : Number(text);
  }
  return column.type === 'time' ? new Date(text).toISOString() : text;
}

/** What a field begins with. */
export const first = (column) => column.default ?? (column.type === 'flag' ? false : column.nullable ? null : '');

/**
 * One field with what it means.
 *
 * @param {object} column as GET /v1/tables describes it
 * @param {unknown} content what it says now
 * @param {{fault?: string, changed?: boolean, fixed?: boolean, choices?: string[], change: (content: unknown) => void}} how
 */
export function field(column, content, how) {
  const id = `field-${column.name}`;
  return html`<div class="entry ${how.changed ? 'changed' : ''}">
    ${how.fixed ? html`<b>${column.name}</b>` : html`<label for=${id}>${column.name}${column.required ? html`<span aria-hidden="true" title="needed"> *</span>` : nothing}</label>`}
    <div>${how.fixed ? html`<div class="fixed">${shown(content, column.type)} ${unit(column)}</div>`
      : html`<div class="box">${input(column, content, id, how)} ${unit(column)}</div>`}
      ${how.fault ? html`<p class="trouble" id="${id}-fault">${column.name} ${how.fault}</p>` : nothing}</div>
    <div class="help" id="${id}-help"><p>${column.meaning}</p>
      ${column.effect && !how.fixed ? html`<p><b>Changing it:</b> ${column.effect}</p>` : nothing}
      <p>${limits(column)}</p></div>
  </div>`;
}

const unit = (column) => (column.unit ? html`<span class="help">${column.unit}</span>` : nothing);

function limits(column) {
  const parts = [];
  if (column.least != null || column.most != null) {
    parts.push(`${column.least ?? '…'} to ${column.most ?? '…'}`);
  }
  if (column.form) {
    parts.push(column.form);
  }
  if (column.default !== null && column.default !== undefined && column.default !== '') {
    parts.push(`default ${column.type === 'flag' ? (column.default ? 'yes' : 'no') : column.default}`);
  } else if (column.nullable) {
    parts.push('may be left empty');
  }
  return parts.join(' · ');
}

function input(column, content, id, { fault, choices, change }) {
  const said = (event) => change(read(column, event.target));
  const described = fault ? `${id}-fault ${id}-help` : `${id}-help`;
  const invalid = fault ? 'true' : 'false';
  const text = content === null || content === undefined ? '' : String(content);
  if (column.type === 'flag') {
    return html`<input type="checkbox" id=${id} aria-describedby=${described} aria-invalid=${invalid} .checked=${live(content === true)} @change=${said} />`;
  }
  const words = column.words.length ? column.words : choices;
  if (words?.length) {
    const all = words.includes(text) || text === '' ? words : [text, ...words];
    return html`<select id=${id} aria-describedby=${described} aria-invalid=${invalid} @change=${said}>
      ${column.nullable || text === '' ? html`<option value="" ?selected=${text === ''}>${column.nullable ? '(none)' : 'choose …'}</option>` : nothing}
      ${all.map((word) => html`<option value=${word} ?selected=${word === text}>${word === '' ? '(empty)' : word}</option>`)}</select>`;
  }
  const type = { whole: 'number', number: 'number', time: 'datetime-local' }[column.type] ?? 'text';
  return html`<input id=${id} type=${type} aria-describedby=${described} aria-invalid=${invalid} autocomplete="off" spellcheck="false"
    step=${ifDefined(column.type === 'number' ? 'any' : column.type === 'time' ? '1' : undefined)}
    maxlength=${ifDefined(column.longest ?? undefined)}
    .value=${live(type === 'datetime-local' ? localInput(text) : text)} @input=${said} />`;
}
