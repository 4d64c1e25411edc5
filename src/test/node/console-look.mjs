// Every page of the console, light and dark, wide and narrow: no serious finding of axe-core, nothing that does not fit.
// With a folder named, pictures of the pages are put there.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { findings, logIn, visit } from './console-browser.mjs';

const explained = 'explain?principal=client:demo-agent&route=/mcp&tool=inspect_table_schema';

/** The pages that have pictures are named. */
const pages = [
  ['now', 'now'],
  ['bans', 'bans'],
  ['bans-history', 'bans/history'],
  ['tiers', 'policy/tiers'],
  ['tier', 'policy/tiers/heavy'],
  ['tools', 'policy/tools'],
  ['routes', 'policy/routes'],
  ['route', 'policy/routes/~L21jcA'],
  ['clients', 'policy/clients'],
  ['client', 'policy/clients/demo-agent'],
  ['new-tool', 'policy/tools/new'],
  ['settings', 'policy/settings'],
  ['explain', explained],
  ['history', 'history'],
  ['events', 'events'],
];

const pictured = ['now', 'bans', 'tier', 'tools', 'settings', 'explain', 'history', 'events'];

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

async function looks(page, name, folder, scheme) {
  if (name === 'now') {
    await page.waitForSelector('[data-stream="live"]');
    await page.waitForTimeout(folder ? 3_000 : 0);
  }
  assert.deepEqual(await findings(page), [], `${name}, ${scheme}`);
  if (folder && pictured.includes(name)) {
    const clip = { x: 0, y: 0, width: 1280, height: name === 'settings' ? 620 : 860 };
    await page.screenshot({ path: join(folder, `console-${name}-${scheme}.png`), clip });
  }
}

/** Looks at all of them; gives how many. */
export async function lookAround(context, token, folder) {
  let seen = 0;
  for (const colorScheme of ['light', 'dark']) {
    const opened = await context({ colorScheme });
    const page = await opened.newPage();
    await page.goto('/admin/');
    await page.waitForSelector('#token');
    await looks(page, 'login', folder, colorScheme);
    await logIn(page, token);
    for (const [name, place] of pages) {
      await visit(page, place);
      await looks(page, name, folder, colorScheme);
      seen++;
    }
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [name, place] of pages) {
      await visit(page, place);
      assert.ok((await overflow(page)) <= 0, `${name} does not fit 360 px`);
    }
    await opened.close();
  }
  return seen;
}
