// Pages in Chromium that call Weir from other origins; prints one line of JSON for each:
// node browser.mjs CHROMIUM URL KEY1 KEY2 PORT
// The allowed page is http://page.test:PORT, and the foreign one http://foreign.test:PORT; both names are this machine's.

import { createServer } from 'node:http';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { run } from './tour.mjs';

const [executablePath, url, firstKey, secondKey, port] = process.argv.slice(2);
const allowed = `http://page.test:${port}`;
const foreign = `http://foreign.test:${port}`;

async function serve() {
  const bundle = await build({
    entryPoints: ['browser-page.mjs'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'error',
  });
  const server = createServer((request, response) => {
    const script = request.url === '/page.js';
    response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' });
    response.end(script ? bundle.outputFiles[0].text : '<!doctype html><title>page</title><script src="/page.js"></script>');
  });
  await new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
  return server;
}

async function open(browser, origin) {
  const page = await browser.newPage();
  await page.goto(origin);
  await page.waitForFunction(() => window.weir);
  return page;
}

const print = (step, result) => console.log(JSON.stringify({ step, ...result }));

await run(async () => {
  const server = await serve();
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--host-resolver-rules=MAP page.test 127.0.0.1, MAP foreign.test 127.0.0.1',
      `--unsafely-treat-insecure-origin-as-secure=${allowed},${foreign}`,
    ],
  });
  try {
    const page = await open(browser, allowed);
    print('sdk', await page.evaluate((a) => window.weir.tour('sdk', ...a), [url, firstKey]));
    print('client', await page.evaluate((a) => window.weir.tour('client', ...a), [url, secondKey]));
    print('no key', await page.evaluate((a) => window.weir.plain(a, {}), url));
    const other = await open(browser, foreign);
    print('foreign', await other.evaluate((a) => window.weir.plain(...a), [url, { Authorization: `Bearer ${secondKey}` }]));
    print('foreign, no preflight', await other.evaluate((a) => window.weir.plain(a, { 'Content-Type': 'text/plain' }), url));
  } finally {
    await browser.close();
    server.close();
  }
});
