/**
 * How this node stands: what is wrong, loudly, and its facts.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';
import { badge, mebibytes, number, time } from './format.js';
import { link } from './router.js';

/** What has to be seen before anything else. */
export function banners(state, nodes) {
  const elsewhere = nodes.filter((each) => !each.here && (each.policyOk === false || each.databaseUp === false || each.away));
  return html`
    ${state && !state.policy.inForce
      ? html`<div class="banner" role="alert"><h2>The policy was rejected</h2>
          <p>Its rows cannot be used as they stand. The policy before them goes on being in force; changes have no effect until this is mended.</p>
          <ul>${state.policy.problems.map((one) => html`<li><a href=${link('policy')}><code>${one.table} [${one.row}]</code></a> ${one.rule}</li>`)}</ul></div>`
      : nothing}
    ${state && !state.database.up
      ? html`<div class="banner" role="alert"><h2>The database is away</h2>
          <p>Limits, bans and policy go on from memory. ${number(state.database.writesWaiting)} writes wait for it${
            state.database.throttlesDropped ? `; ${number(state.database.throttlesDropped)} rows of history are lost` : ''}.
            Nothing of the policy can be changed.</p>
          ${state.database.trouble ? html`<p><code>${state.database.trouble}</code></p>` : nothing}</div>`
      : nothing}
    ${elsewhere.length
      ? html`<div class="banner warn" role="alert"><h2>Trouble at other nodes</h2>
          <ul>${elsewhere.map((each) => html`<li>${each.label ?? each.node}: ${each.away ? html`not heard of since ${time(each.seenAt)}`
            : each.policyOk === false ? 'the policy was rejected' : 'the database is away'}</li>`)}</ul></div>`
      : nothing}`;
}

/** The facts of the node that answers. */
export function facts(state) {
  if (!state) {
    return html`<p class="help">Reading …</p>`;
  }
  const row = (name, content) => html`<dt>${name}</dt><dd>${content}</dd>`;
  return html`<dl class="facts">
    ${row('node', html`${state.node}${state.version ? html`, Weir ${state.version}` : nothing}`)}
    ${row('started', time(state.startedAt))}
    ${row('ready', state.ready ? badge('good', 'yes') : badge('bad', 'no'))}
    ${row('policy', state.policy.inForce ? badge('good', 'in force') : badge('bad', 'rejected'))}
    ${row('database', html`${state.database.up ? badge('good', 'up') : badge('bad', 'away')}${state.database.listener
      ? html`, ${state.database.listener}` : nothing}, ${number(state.database.writesWaiting)} writes waiting`)}
    ${row('in flight', `${number(state.exchanges.calls)} calls, ${number(state.exchanges.streams)} streams`)}
    ${row('counted', `${number(state.buckets)} principals with buckets`)}
    ${row('memory', `${mebibytes(state.memory.used)} of ${mebibytes(state.memory.max)}`)}
    ${state.issuer ? row('token issuer', state.issuer) : nothing}
    ${(state.alerts ?? []).map((one) => row(`alerts to ${one.target}`, one.trouble
      ? badge('bad', one.trouble) : `${number(one.delivered)} delivered, ${number(one.waiting)} waiting, ${number(one.dropped + one.failed)} lost`))}
  </dl>`;
}
