/**
 * All settings, with what holds and what would hold without a row.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { ask } from './dialog.js';
import { table } from './list.js';
import { failed, inform } from './notice.js';

/** Shows them. */
export function settings({ draw, signal }, described) {
  let items = null;
  const look = async () => {
    try {
      items = (await api.get('/v1/settings', {}, signal)).items;
    } catch (refusal) {
      items = [];
      failed(refusal);
    }
    show();
  };
  const columns = [
    { label: 'Setting', head: true, cell: (one) => html`<code class="whole">${one.name}</code>` },
    { label: 'In force', cell: (one) => html`<b class="code">${text(one.inForce)}</b> ${one.unit ?? ''}` },
    { label: 'Without a row', cell: (one) => html`<span class="code">${text(one.standard)}</span>` },
    { label: 'Row', cell: (one) => (one.content === null ? html`<span class="none">none</span>` : html`<span class="code">${text(one.content)}</span>`) },
    { label: 'Meaning', kind: 'name', cell: (one) => one.meaning },
    { label: 'Change', kind: 'act', cell: (one) => (api.may('admin')
      ? html`<button type="button" class="small" aria-label="Change ${one.name}" @click=${() => change(one).then(look)}>Change …</button>` : nothing) },
  ];
  const show = () => draw(html`<p class="lead">${described.meaning}</p>
    <section class="card">${table('Settings', columns, items, 'There is none.')}</section>`);
  show();
  look();
}

const text = (content) => (content === null || content === '' ? '–' : content);

async function change(one) {
  const content = one.content ?? one.inForce ?? '';
  const limits = [one.least != null || one.most != null ? `${one.least ?? '…'} to ${one.most ?? '…'}` : '', one.form ?? ''].filter(Boolean).join(' · ');
  const done = await ask({
    title: `Change ${one.name}`,
    body: html`<p>${one.meaning}</p><p><b>Changing it:</b> ${one.effect}</p>
      <div class="fields"><label for="setting">${one.name}${one.unit ? ` (${one.unit})` : ''}</label>
        ${one.words.length
          ? html`<select id="setting" name="content">${one.words.map((word) => html`<option ?selected=${word === content}>${word}</option>`)}</select>`
          : html`<input id="setting" name="content" .value=${content} aria-describedby="setting-help" autocomplete="off" autofocus />`}
        <p class="help" id="setting-help">${limits}${limits ? ' · ' : ''}without a row: ${text(one.standard)}</p>
        ${one.content === null ? nothing : html`<label><input type="checkbox" name="reset" /> take the row away, so that ${text(one.standard)} holds</label>`}</div>`,
    yes: 'Set',
    work: (data) => api.patch(one.self, { content: data.get('reset') ? null : data.get('content') }, one.etag),
  });
  if (done) {
    inform(`${one.name} is set, and in force.`);
  }
}
