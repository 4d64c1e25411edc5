/**
 * Two states of a row, as a difference.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';

const text = (content) => (content === null || content === undefined ? 'nothing' : content === '' ? 'empty' : String(content));

const same = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The columns in which they differ. */
export function differing(before, after) {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter((name) => name !== 'version' && !same(before?.[name], after?.[name]));
}

/** What is different, column by column; of a row that is new or gone, what is or was in it. */
export function diff(before, after) {
  const names = differing(before, after).filter((name) => (before && after) || !['', null, undefined].includes((before ?? after)?.[name]));
  if (names.length === 0) {
    return html`<span class="none">nothing that is shown</span>`;
  }
  const rows = html`<table class="diff"><tbody>${names.map((name) => html`<tr><td><code>${name}</code></td>
    <td>${before ? html`<del>${text(before[name])}</del>` : nothing} ${after ? html`<ins>${text(after[name])}</ins>` : nothing}</td></tr>`)}</tbody></table>`;
  return names.length > 6 ? html`<details><summary>${names.length} columns</summary>${rows}</details>` : rows;
}
