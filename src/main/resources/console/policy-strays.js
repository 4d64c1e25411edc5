/**
 * Tools that are called and that no row names, and one click to register them.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { number, time } from './format.js';
import { table } from './list.js';
import { failed, inform } from './notice.js';

/**
 * A panel that reads itself.
 *
 * @param {() => void} show draws again
 * @param {() => void} registered is called when there is a new row
 * @returns {() => unknown} what is to be drawn
 */
export function strays({ signal }, show, registered) {
  let list = null;
  let tiers = [];
  let tier = 'light';
  const look = () =>
    api.get('/v1/unregistered-tools', {}, signal)
      .then((page) => (list = page))
      .catch(failed)
      .finally(show);
  look();
  if (api.may('operator')) {
    api.get('/v1/tiers', { limit: 500 }, signal)
      .then((page) => {
        tiers = page.items.map((item) => item.row.name);
        tier = tiers.includes(tier) ? tier : tiers[0];
        show();
      })
      .catch(failed);
  }
  const register = async (one) => {
    try {
      await api.post('/v1/tools', { route: one.route, name: one.name, tier });
      inform(`${one.name} is registered as ${tier}; each client has a bucket of its own for it now.`);
      registered();
    } catch (refusal) {
      failed(refusal);
    }
    await look();
  };
  const columns = [
    { label: 'Tool', kind: 'name', head: true, cell: (one) => html`<span class="code">${one.name}</span>` },
    { label: 'Route', cell: (one) => html`<span class="code">${one.route}</span>` },
    { label: 'Calls', kind: 'number', cell: (one) => number(one.calls) },
    { label: 'Last', cell: (one) => time(one.lastAt) },
    { label: 'Register', kind: 'act', cell: (one) => (api.may('operator')
      ? html`<button type="button" class="small" aria-label="Register as ${tier}: ${one.name}" @click=${() => register(one)}>Register as ${tier}</button>` : nothing) },
  ];
  return () => (list && list.items.length === 0 && !list.unnamed ? nothing : html`<section class="card" aria-label="Unregistered tools">
    <div class="head"><h2>Called, but not registered</h2>
      ${api.may('operator') && tiers.length ? html`<div class="right"><label>Tier <select @change=${(event) => { tier = event.target.value; show(); }}>
        ${tiers.map((name) => html`<option ?selected=${name === tier}>${name}</option>`)}</select></label></div>` : nothing}</div>
    <p class="help">Seen at this node. All of a client's unregistered tools share one bucket of the tier standard.</p>
    ${table('Unregistered tools', columns, list?.items ?? null, 'None.')}
    ${list?.unnamed ? html`<p class="help">${number(list.unnamed)} more calls had names for which there was no room.</p>` : nothing}
  </section>`);
}
