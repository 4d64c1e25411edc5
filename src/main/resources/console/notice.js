/**
 * Says what has come of something, also to those who do not see it.
 * @module
 */

import { html, render } from './lib/lit-html/lit-html.js';

const STAYS_MS = 8_000;
const place = document.getElementById('notices');
let all = [];
let last = 0;

function draw() {
  render(
    all.map((one) => html`<div class="notice ${one.tone}"><p>${one.text}</p>
      <button type="button" aria-label="Dismiss" @click=${() => drop(one.id)}>×</button></div>`),
    place,
  );
}

function drop(id) {
  all = all.filter((one) => one.id !== id);
  draw();
}

/** Takes refusals away that another page has shown. */
export function clear() {
  all = all.filter((one) => one.tone !== 'bad');
  draw();
}

function add(tone, text) {
  all = all.filter((one) => one.text !== text);
  const id = ++last;
  all = [...all.slice(-3), { id, tone, text }];
  draw();
  if (tone === 'good') {
    setTimeout(() => drop(id), STAYS_MS);
  }
}

/** Something has been done. */
export const inform = (text) => add('good', text);

/** Something was refused; says why, unless it was only left, or the login page says it. */
export function failed(refusal) {
  if (refusal.name !== 'AbortError' && refusal.status !== 401) {
    add('bad', refusal.message);
  }
}
