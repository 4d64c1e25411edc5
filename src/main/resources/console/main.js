/**
 * The console: who is logged in, which page is open, and the frame around it.
 * @module
 */

import { html, nothing, render } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { clear, failed, inform } from './notice.js';
import { link, parse, replace } from './router.js';
import { next, theme } from './themes.js';
import * as login from './page-login.js';
import * as now from './page-now.js';
import * as bans from './page-bans.js';
import * as policy from './page-policy.js';
import * as explain from './page-explain.js';
import * as history from './page-history.js';
import * as events from './page-events.js';

const pages = { now, bans, policy, explain, history, events };
const shell = document.getElementById('shell');
const main = document.getElementById('main');

/** What is open: its page, its address, and what ends its work. */
let open = null;

function drawShell(page) {
  const tab = ([name, each]) => html`<li>
    <a href=${link(name)} aria-current=${name === page ? 'page' : nothing}>${each.title}</a></li>`;
  render(
    html`<header class="top">
      <a class="brand" href=${link('now')}><img src="icon.svg" alt="" width="22" height="22" /> Weir</a>
      ${api.session
        ? html`<nav aria-label="Pages"><ul>${Object.entries(pages).map(tab)}</ul></nav>
            <div class="who"><span title="Your role decides what you may change">${api.session.name} · ${api.session.role}</span>
              ${themeButton(page)}<button type="button" @click=${logOut}>Log out</button></div>`
        : html`<div class="who">${themeButton(page)}</div>`}
    </header>`,
    shell,
  );
}

const themeButton = (page) => html`<button type="button" title="Light, dark, or as the system is"
  @click=${() => { next(); drawShell(page); }}>Colours: ${theme()}</button>`;

async function logOut() {
  try {
    await api.logOut();
  } catch (refusal) {
    failed(refusal);
  }
  inform('You are logged out.');
  replace('login', { reason: 'out' });
}

api.onLost((reason) => {
  if (parse(location.hash).page !== 'login') {
    replace('login', { back: location.hash.replace(/^#\/?/, ''), reason: reason ? 'ended' : '' });
  }
});

function close() {
  open?.ends.abort();
  open = null;
}

/** Opens the page at the address. */
async function show() {
  const to = parse(location.hash);
  const place = [to.page, ...to.parts].join('/');
  const same = open?.place === place;
  const first = open === null;
  close();
  const ends = new AbortController();
  open = { place, ends };
  const page = to.page === 'login' ? login : pages[to.page];
  if (page !== login && !api.session && !(await known(ends.signal))) {
    return;
  }
  drawShell(to.page);
  document.title = `${page?.title ?? 'No such page'} – Weir`;
  if (!same) {
    clear();
    // A fresh root, so that nothing of another page is taken over.
    main.replaceChildren(document.createElement('div'));
  }
  const root = main.firstElementChild;
  const draw = (template) => ends.signal.aborted || render(template, root);
  if (!page) {
    draw(html`<h1 tabindex="-1">There is no such page</h1><p><a href=${link('now')}>Now</a></p>`);
  } else {
    page.open({ ...to, signal: ends.signal, draw, name: (title) => (document.title = `${title} – Weir`) });
  }
  if (!same && !first) {
    main.querySelector('h1')?.focus();
    window.scrollTo(0, 0);
  }
}

async function known(signal) {
  try {
    await api.who();
  } catch (refusal) {
    if (!signal.aborted) {
      replace('login', { back: location.hash.replace(/^#\/?/, ''), reason: refusal.status === 401 ? '' : refusal.message });
    }
    return false;
  }
  return !signal.aborted;
}

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener('hashchange', show);
// A page out of the browser's memory may be that of somebody who has logged out since.
window.addEventListener('pageshow', (event) => event.persisted && location.reload());
show();
