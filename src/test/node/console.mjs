// What an operator does with the console, with real traffic; prints one line of JSON for each step:
// node console.mjs CHROMIUM BASE TOKEN KEY1 KEY2 [FOLDER]
// KEY1 and KEY2 are those of the demo's clients demo-agent and demo-dashboard. Pictures go to the folder, if one is named.

import assert from 'node:assert/strict';
import { agent, loop } from './agent.mjs';
import { browse, logIn, visit } from './console-browser.mjs';
import { lookAround } from './console-look.mjs';
import { run } from './tour.mjs';

const [executablePath, base, token, firstKey, secondKey, folder] = process.argv.slice(2);
const THROTTLED = -32029;
const BANNED = -32030;
const api = (path, method = 'GET', body = undefined, headers = {}) =>
  fetch(`${base}/admin/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });

/** Waits until something holds, for at most half a minute. */
async function until(what, holds) {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const notice = (page, text) => page.locator('#notices').getByText(text).first().waitFor();

async function loggingIn({ page }) {
  await page.goto('/admin/#/bans/history?principal=client:demo-agent');
  await page.fill('#token', 'a-wrong-token');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('#token-trouble').waitFor();
  await page.fill('#token', token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Bans', exact: true }).waitFor();
  assert.match(page.url(), /#\/bans\/history\?principal=client/, 'it goes where one wanted to go');
  assert.equal(await page.title(), 'Bans – Weir');
}

async function watching({ page, one }) {
  await visit(page, 'now');
  await page.waitForSelector('[data-stream="live"]');
  const stop = loop(() => one.call('inspect_table_schema', { table: 'orders' }), 60);
  const tile = (name) => page.locator(`[data-live="${name}"]`);
  await until('the storm', async () => !/^(0\/s|–)$/.test(await tile('banned').textContent()));
  await until('the ban on the now page', async () => (await tile('bans').textContent()).trim() === '1');
  await page.locator('main').getByText('inspect_table_schema').first().waitFor();
  await page.locator('main').getByRole('link', { name: 'client:demo-agent', exact: true }).first().waitFor();
  await stop();
}

async function lifting({ page, one }) {
  assert.equal(await one.call('echo', { text: 'hi' }), BANNED);
  await visit(page, 'bans');
  await page.getByRole('link', { name: 'Evidence against client:demo-agent' }).click();
  await page.getByRole('heading', { name: 'Evidence' }).waitFor();
  await page.getByRole('cell', { name: 'inspect_table_schema' }).first().waitFor();
  await page.goBack();
  const lift = page.getByRole('button', { name: 'Lift the ban of client:demo-agent' });
  await lift.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason, for the history').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await one.call('echo', { text: 'hi' }), BANNED, 'Esc lifts nothing');
  await lift.click();
  await dialog.getByLabel('Reason, for the history').fill('the loop is mended');
  await dialog.getByRole('button', { name: 'Lift the ban' }).click();
  await notice(page, 'The ban of client:demo-agent is lifted');
  await page.getByText('Nobody is banned.').waitFor();
  assert.equal(await one.call('echo', { text: 'hi' }), 0, 'the client calls again');
  await visit(page, 'bans/history?state=lifted');
  await page.getByText('the loop is mended').waitFor();
}

async function banning({ page, two }) {
  await visit(page, 'bans');
  await page.getByRole('button', { name: 'Ban by hand …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Principal').fill('nobody');
  await dialog.getByLabel('Reason; the caller is told').fill('being looked into');
  await dialog.getByRole('button', { name: 'Ban', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Principal').fill('client:demo-dashboard');
  await dialog.getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByRole('link', { name: 'client:demo-dashboard', exact: true }).waitFor();
  assert.equal(await two.call('echo', { text: 'hi' }), BANNED);
  await page.getByRole('button', { name: 'Lift the ban of client:demo-dashboard' }).click();
  await dialog.getByLabel('Reason, for the history').fill('it was nothing');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await two.call('echo', { text: 'hi' }), 0);
}

async function changingATier({ page, two }) {
  await visit(page, 'policy/tiers/new');
  await page.locator('#field-name').fill('narrow');
  await page.locator('#field-rate_per_second').fill('-1');
  await page.locator('#field-burst').fill('0');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('#field-rate_per_second-fault').waitFor();
  await page.locator('#field-rate_per_second').fill('0');
  await page.getByRole('button', { name: 'Create' }).click();
  await notice(page, 'Created, and in force.');
  await two.call('a_tool_of_nobody');
  await visit(page, 'policy/tools');
  await page.locator('section[aria-label="Unregistered tools"] select').selectOption('narrow');
  await page.getByRole('button', { name: 'Register as narrow: a_tool_of_nobody' }).click();
  await notice(page, 'a_tool_of_nobody is registered as narrow');
  assert.equal(await two.call('a_tool_of_nobody'), THROTTLED);
  await visit(page, 'explain?principal=client:demo-dashboard&route=/mcp&tool=a_tool_of_nobody');
  await page.locator('[data-verdict="throttle"]').waitFor();
  await visit(page, 'policy/tiers/narrow');
  await page.locator('#field-rate_per_second').fill('50');
  await page.locator('#field-burst').fill('50');
  await page.getByRole('button', { name: 'Save' }).click();
  await notice(page, 'Saved, and in force.');
  assert.notEqual(await two.call('a_tool_of_nobody'), THROTTLED, 'the call that was refused passes');
}

async function beingTooLate({ page }) {
  await visit(page, 'policy/tiers/narrow');
  await page.locator('#field-burst').fill('40');
  const { etag } = await (await api('/v1/tiers/narrow')).json();
  const faster = await api('/v1/tiers/narrow', 'PATCH', { cooldown_seconds: 3 }, { 'If-Match': etag });
  assert.equal(faster.status, 200);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this row meanwhile').waitFor();
  await page.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await until('both changes', async () => {
    const { row } = await (await api('/v1/tiers/narrow')).json();
    return row.burst === 40 && row.cooldown_seconds === 3;
  });
}

async function setting({ page }) {
  await visit(page, 'policy/settings');
  await page.getByRole('button', { name: 'Change ban.threshold' }).click();
  await page.locator('#setting').fill('7');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await notice(page, 'ban.threshold is set, and in force.');
  const { inForce } = await (await api('/v1/settings/ban.threshold')).json();
  assert.equal(inForce, '7');
}

async function reading({ page }) {
  await until('the history of throttles', async () => {
    await visit(page, 'history?range=1&tool=inspect_table_schema');
    await page.locator('main').getByText('Row by row').waitFor();
    const found = await page.getByRole('region', { name: 'Throttles' }).count();
    await visit(page, 'now');
    return found > 0;
  });
  await visit(page, 'history?range=1&tool=inspect_table_schema');
  await page.getByRole('region', { name: 'Throttles' }).getByText('client:demo-agent').first().waitFor();
  for (const [name, begins] of [['Export CSV', 'id,happened_at,'], ['Export JSON lines', '{"id":']]) {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name }).click();
    const chunks = [];
    for await (const chunk of await (await download).createReadStream()) {
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString();
    assert.ok(text.startsWith(begins) && text.includes('inspect_table_schema'), text.slice(0, 200));
  }
  await visit(page, 'events?table=tool_tier');
  await page.getByRole('cell', { name: 'narrow' }).first().waitFor();
  await page.getByText('40').first().waitFor();
}

async function key(role) {
  const client = await api('/v1/clients', 'POST', { id: `a-${role}`, name: role, role });
  assert.equal(client.status, 201);
  return (await (await api('/v1/client-keys', 'POST', { client: `a-${role}` })).json()).key;
}

async function beingAViewer({ context }) {
  const opened = await context();
  const page = await opened.newPage();
  await logIn(page, await key('viewer'));
  await visit(page, 'policy/tiers/heavy');
  await page.getByText('rate_per_second').waitFor();
  for (const [place, text] of [['policy/tiers/heavy', /Save|Delete/], ['policy/tiers', /New row/], ['bans', /Ban by hand|Lift/], ['policy/tools', /Register/], ['policy/settings', /Change …/]]) {
    await visit(page, place);
    assert.equal(await page.locator('main').getByRole('button', { name: text }).count(), 0, `${place} has a button`);
    assert.equal(await page.locator('main').getByRole('link', { name: /New row/ }).count(), 0);
  }
  const status = await page.evaluate(async () => {
    const { csrf } = await (await fetch('api/v1/session')).json();
    const headers = { 'X-CSRF-Token': csrf, 'Content-Type': 'application/json', 'If-Match': '*' };
    const change = await fetch('api/v1/tiers/heavy', { method: 'PATCH', headers, body: '{"burst":9}' });
    const ban = await fetch('api/v1/bans', { method: 'POST', headers, body: '{"principal":"client:x","duration_seconds":9,"reason":"x"}' });
    return [change.status, ban.status];
  });
  assert.deepEqual(status, [403, 403]);
  await opened.close();
}

async function loggingOut({ context }) {
  const opened = await context();
  const page = await opened.newPage();
  await logIn(page, token);
  const second = await opened.newPage();
  await second.goto('/admin/#/policy/tiers');
  await second.getByRole('link', { name: 'heavy', exact: true }).first().waitFor();
  await visit(page, 'bans');
  const cookies = await opened.cookies(`${base}/admin/`);
  const [cookie] = cookies.filter((each) => each.name === 'weir_admin');
  assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict' && cookie.path === '/admin');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  const old = await fetch(`${base}/admin/api/v1/session`, { headers: { Cookie: `weir_admin=${cookie.value}` } });
  assert.equal(old.status, 401, 'the old cookie is no good');
  await page.goBack();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await second.getByRole('tab', { name: 'Settings' }).click();
  await second.getByText('Your session has ended').waitFor();
  await second.fill('#token', token);
  await second.keyboard.press('Enter');
  await second.getByText('ban.threshold').first().waitFor();
  assert.match(second.url(), /policy\/settings$/, 'it goes on where it was');
  await opened.close();
}

async function usingTheKeyboard({ page }) {
  await visit(page, 'policy/tiers');
  await page.getByRole('tab', { name: 'Tiers' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Tools', selected: true }).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.reload();
  await page.getByRole('tab', { name: 'Tools', selected: true }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
}

const steps = [loggingIn, watching, lifting, banning, changingATier, beingTooLate, setting, reading, usingTheKeyboard, beingAViewer, loggingOut];

await run(async () => {
  const { browser, context, assertClean } = await browse(executablePath, base);
  try {
    const page = await (await context()).newPage();
    const [one, two] = [await agent(`${base}/mcp`, firstKey), await agent(`${base}/mcp`, secondKey)];
    for (const step of steps) {
      await step({ page, context, one, two }).catch(async (failure) => {
        console.error(`${step.name} at ${page.url()}: ${await page.locator('body').innerText().catch(() => '')}`);
        throw failure;
      });
      assertClean(step.name);
      console.log(JSON.stringify({ step: step.name }));
    }
    const stops = [loop(() => one.call('inspect_table_schema', { table: 'orders' }), 150), loop(() => two.call('echo', { text: 'hi' }), 100), loop(() => two.call('summarize_logs'), 900)];
    await until('another ban', async () => (await (await api('/v1/bans?state=active')).json()).items.length > 0);
    const looked = await lookAround(context, token, folder);
    await Promise.all(stops.map((stop) => stop()));
    assertClean('looking around');
    console.log(JSON.stringify({ step: 'lookAround', pages: looked }));
  } finally {
    await browser.close();
  }
});
