/**
 * One row of the policy: its form, what belongs to it, and what to do if somebody else was faster.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import * as api from './api.js';
import { ask, tell } from './dialog.js';
import { differing } from './diff.js';
import { field, first } from './form.js';
import { failed, inform } from './notice.js';
import { nameOf, rows } from './policy-rows.js';
import { go, link, replace } from './router.js';

/** What belongs to the rows of a table: other tables, and by which of their columns. */
const children = {
  'route.prefix': ['route-targets', 'route-headers', 'tools', 'client-routes'],
  'client.id': ['client-keys', 'client-tokens', 'client-routes', 'client-tools'],
  'tool_tier.name': ['tools'],
};

/** Shows the page of a row, or of a new one if its key is the word new. */
export async function openRow(page, described, segments) {
  const { draw, signal, catalogue, query } = page;
  const isNew = segments[0] === 'new';
  const address = `/v1/${described.path}/${segments.join('/')}`;
  const form = { item: null, said: {}, faults: [], trouble: null, theirs: null, busy: false, choices: {} };
  const lists = [];
  const show = () => draw(view(page, described, isNew, form, lists, acts));
  const acts = {
    set: (name, content) => {
      form.said = { ...form.said, [name]: content };
      show();
    },
    save: (event) => {
      event.preventDefault();
      return save(described, isNew, address, form, show);
    },
    remove: () => removeRow(described, address, form),
    revoke: () => revoke(address, form, show),
    undo: () => {
      form.said = {};
      form.faults = [];
      form.trouble = null;
      show();
    },
    theirs: (keep) => {
      form.item = form.theirs;
      form.said = keep ? form.said : {};
      form.theirs = null;
      show();
    },
  };
  try {
    form.item = isNew ? { row: fresh(described, query) } : await api.get(address, {}, signal);
  } catch (refusal) {
    draw(html`<p class="trouble">${refusal.message}</p><p><a href=${link(`policy/${described.path}`)}>${described.title}</a></p>`);
    failed(refusal);
    return;
  }
  readChoices(page, described, form, show);
  if (!isNew) {
    const key = described.columns.find((column) => column.key);
    for (const path of children[`${described.name}.${key.name}`] ?? []) {
      const child = catalogue.find((each) => each.path === path);
      const column = child?.columns.find((each) => each.refersTo === `${described.name}.${key.name}`);
      if (column) {
        lists.push(rows(page, child, { [column.name]: form.item.row[key.name] }, show));
      }
    }
  }
  show();
}

/** A new row begins with the defaults, and with what the address says. */
function fresh(described, query) {
  return Object.fromEntries(described.columns.map((column) => [column.name, query[column.name] ?? first(column)]));
}

/** The names that other tables have, for fields that repeat them. */
function readChoices({ catalogue, signal }, described, form, show) {
  for (const column of described.columns.filter((each) => each.refersTo && each.set !== 'never')) {
    const [name, other] = column.refersTo.split('.');
    const table = catalogue.find((each) => each.name === name);
    if (table) {
      api.get(`/v1/${table.path}`, { limit: 500 }, signal)
        .then((list) => {
          form.choices[column.name] = list.items.map((item) => item.row[other]);
          show();
        })
        .catch(failed);
    }
  }
}

function view(page, described, isNew, form, lists, acts) {
  const { item, said } = form;
  const row = { ...item.row, ...said };
  const changes = isNew ? api.may(described.createRole) : api.may(described.role);
  const isKey = described.name === 'client_key';
  const entry = (column) => field(column, row[column.name], {
    fixed: !changes || column.set === 'never' || (!isNew && column.set === 'once') || (column.secret && row[column.name] === '…' && !api.may('admin')),
    changed: column.name in said,
    fault: form.faults.find((each) => each.field === column.name)?.rule,
    choices: form.choices[column.name],
    change: (content) => acts.set(column.name, content),
  });
  const kept = described.columns.filter((column) => !isNew || column.set !== 'never')
    .filter((column) => !(isNew && isKey && ['sha256', 'revoked_at'].includes(column.name)));
  const elsewhere = form.faults.filter((fault) => !kept.some((column) => column.name === fault.field));
  return html`
    <div class="head"><h2>${isNew ? `New row of ${described.title.toLowerCase()}` : html`${described.title}: <span class="code">${nameOf(described, row)}</span>`}</h2>
      <div class="right"><a class="button" href=${link(`policy/${described.path}`)}>All ${described.title.toLowerCase()}</a>
      ${isNew ? nothing : html`<a class="button" href=${link('events', { table: described.name, row: nameOf(described, row) })}>Who changed it</a>`}
      ${!isNew && changes && isKey && !row.revoked_at ? html`<button type="button" @click=${acts.revoke}>Revoke …</button>` : nothing}
      ${!isNew && changes ? html`<button type="button" @click=${acts.remove}>Delete …</button>` : nothing}</div></div>
    <p class="lead">${described.meaning}</p>
    ${form.theirs ? conflict(form, acts) : nothing}
    <form class="card form" novalidate @submit=${acts.save} aria-label=${described.title}>
      ${form.trouble && (elsewhere.length || !form.faults.length) ? html`<div class="trouble" role="alert">${elsewhere.length
        ? html`<ul>${elsewhere.map((fault) => html`<li>${fault.field} ${fault.rule}</li>`)}</ul>` : form.trouble.message}</div>` : nothing}
      ${kept.map(entry)}
      ${changes ? html`<div class="buttons left"><button class="primary" ?disabled=${form.busy || (!isNew && Object.keys(said).length === 0)}>${isNew ? (isKey ? 'Make the key' : 'Create') : 'Save'}</button>
        ${isNew || Object.keys(said).length === 0 ? nothing : html`<button type="button" @click=${acts.undo}>Undo</button>
          <span class="help">${Object.keys(said).length} changed. It holds as soon as it is saved.</span>`}</div>` : nothing}
    </form>
    ${lists.map((list) => html`<section class="card">${list()}</section>`)}`;
}

function conflict(form, acts) {
  const names = differing(form.item.row, form.theirs.row);
  return html`<div class="banner warn" role="alert" tabindex="-1"><h2>Somebody else has changed this row meanwhile</h2>
    <table class="diff"><thead><tr><th>column</th><th>when you read it</th><th>now</th><th>yours</th></tr></thead>
      <tbody>${names.map((name) => html`<tr><td><code>${name}</code></td><td><del>${String(form.item.row[name])}</del></td>
        <td><ins>${String(form.theirs.row[name])}</ins></td><td>${name in form.said ? String(form.said[name]) : 'as it was'}</td></tr>`)}</tbody></table>
    <div class="buttons left"><button type="button" @click=${() => acts.theirs(true)}>Keep my changes on top of theirs</button>
      <button type="button" @click=${() => acts.theirs(false)}>Drop mine</button></div></div>`;
}

async function save(described, isNew, address, form, show) {
  form.busy = true;
  form.faults = [];
  form.trouble = null;
  show();
  try {
    if (isNew) {
      await create(described, form);
    } else {
      form.item = await api.patch(address, form.said, form.item.etag);
      form.said = {};
      inform('Saved, and in force.');
    }
  } catch (refusal) {
    form.trouble = refusal;
    form.faults = refusal.faults ?? [];
    if (refusal.status === 412) {
      form.theirs = await api.get(address).catch(() => null);
    }
    failed(refusal);
  }
  form.busy = false;
  show();
  document.querySelector('main [aria-invalid="true"]')?.focus();
}

async function create(described, form) {
  const all = { ...form.item.row, ...form.said };
  const isKey = described.name === 'client_key';
  const sent = described.columns
    .filter((column) => column.set !== 'never' && !(isKey && !['client', 'label', 'expires_at'].includes(column.name)))
    .filter((column) => all[column.name] !== null && (all[column.name] !== '' || column.required || column.type === 'text'))
    .filter((column) => column.required || all[column.name] !== first(column));
  const made = await api.post(`/v1/${described.path}`, Object.fromEntries(sent.map((column) => [column.name, all[column.name]])));
  if (made.key) {
    await tell({
      title: 'The new key',
      body: html`<p>Copy it now. It is shown this once and kept nowhere; whoever has it calls as <b>${made.row.client}</b>.</p><code class="key">${made.key}</code>`,
    });
  }
  inform('Created, and in force.');
  replace(`policy/${made.self.replace('/v1/', '')}`);
}

async function removeRow(described, address, form) {
  const name = nameOf(described, form.item.row);
  const gone = await ask({
    title: `Delete ${name}?`,
    body: html`<p>The row of <code>${described.name}</code> is gone at once, at all nodes, and what it said holds no more. What it said stays in the
      admin events. Rows that other rows still name cannot be deleted.</p>`,
    yes: 'Delete',
    destroys: true,
    work: () => api.remove(address, form.item.etag).then(() => true),
  });
  if (gone) {
    inform(`${name} is deleted.`);
    go(`policy/${described.path}`);
  }
}

async function revoke(address, form, show) {
  const done = await ask({
    title: 'Revoke this key?',
    body: html`<p>Whoever calls with it is refused (401) from the next request on, at all nodes.</p>`,
    yes: 'Revoke',
    destroys: true,
    work: async () => {
      form.item = await api.patch(address, { revoked_at: new Date().toISOString() }, form.item.etag);
      form.said = {};
    },
  });
  if (done) {
    inform('The key is revoked.');
    show();
  }
}
