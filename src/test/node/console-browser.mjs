// A browser that notices what a console must never do: errors, breaches of its policy, requests to other hosts.

import assert from 'node:assert/strict';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

/** Answers that a step has asked for; a browser writes each of them to its console. */
const REFUSED = /Failed to load resource: the server responded with a status of (400|401|403|404|409|412|422)/;

export async function browse(executablePath, base) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  const wrong = [];
  const context = async (options = {}) => {
    const made = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 860 }, ...options });
    made.setDefaultTimeout(20_000);
    made.on('request', (request) => {
      if (!request.url().startsWith(base) && !request.url().startsWith('data:')) {
        wrong.push(`a request to ${request.url()}`);
      }
    });
    made.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !REFUSED.test(message.text())) {
        wrong.push(message.text());
      }
    });
    made.on('weberror', (error) => wrong.push(String(error.error().stack)));
    return made;
  };
  return { browser, context, assertClean: (step) => assert.deepEqual(wrong, [], `after ${step}`) };
}

/** Goes to a page of the console and waits until it has read what it shows. */
export async function visit(page, place) {
  await page.evaluate((to) => (location.hash = `#/${to}`), place);
  await page.waitForFunction(
    () => document.querySelector('main h1') && !document.querySelector('main')?.textContent.includes('Reading …'),
  );
}

export async function logIn(page, token) {
  await page.goto('/admin/');
  await page.fill('#token', token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForSelector('nav[aria-label="Pages"]');
}

/** What axe-core finds that is serious or critical. It is handed over by the debugger, which no content policy stops. */
export async function findings(page) {
  await page.evaluate(axe.source);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations
    .filter((each) => ['serious', 'critical'].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`);
}
