/**
 * Logging in with a token.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { parse, link } from './router.js';

export const title = 'Log in';

const reasons = {
  ended: 'Your session has ended. Log in again to go on where you were.',
  out: 'You are logged out.',
};

/** Shows the page. */
export function open({ query, draw }) {
  let trouble = '';
  const submit = async (event) => {
    event.preventDefault();
    const field = event.target.elements.token;
    try {
      await api.logIn(field.value.trim());
    } catch (refusal) {
      trouble = refusal.message;
      show();
      field.select();
      field.focus();
      return;
    }
    // Only the address of a page of ours, whatever was asked for.
    const back = parse(`#/${query.back ?? ''}`);
    location.replace(back.page === 'login' ? link('now') : `#/${query.back ?? ''}`);
  };
  const show = () =>
    draw(html`<section class="login">
      <h1 tabindex="-1">Log in</h1>
      ${query.reason ? html`<p class="lead" role="status">${reasons[query.reason] ?? query.reason}</p>` : nothing}
      <form @submit=${submit} class="card">
        <label for="token">Token</label>
        <input id="token" name="token" type="password" required autocomplete="current-password" spellcheck="false"
          aria-describedby="token-help ${trouble ? 'token-trouble' : ''}" aria-invalid=${trouble ? 'true' : 'false'} />
        ${trouble ? html`<p class="trouble" id="token-trouble" role="alert">${trouble}</p>` : nothing}
        <p class="help" id="token-help">The admin token stands in the setting <code>mcp.admin.token</code>, or in the file
          <code>admin-token</code> of Weir's data directory. Keys of clients that have a role are good, too. The token is not
          kept in the browser.</p>
        <button class="primary">Log in</button>
      </form>
    </section>`);
  show();
  document.getElementById('token').focus();
}
