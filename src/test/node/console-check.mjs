// Whether each module of the console is one by the grammar, says what it is for, and is of a readable size.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../main/resources/console/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
for (const name of names) {
  const text = readFileSync(new URL(name, folder), 'utf8');
  const checked = spawnSync(process.execPath, ['--check', '--input-type=module'], { input: text, encoding: 'utf8' });
  assert.equal(checked.status, 0, `${name}: ${checked.stderr}`);
  assert.ok(name === 'theme.js' || /^\/\*\*\n \* .+[\s\S]*?@module/.test(text), `${name} does not say what it is for`);
  assert.ok(text.split('\n').length < 400, `${name} is too long`);
  for (const [, imported] of text.matchAll(/import (?:\* as )?\{? ?([^}']+?) ?\}? from/g)) {
    for (const word of imported.split(', ').map((each) => each.split(' as ').at(-1))) {
      assert.ok(text.match(new RegExp(`\\b${word}\\b`, 'g')).length > 1, `${name} imports ${word} and does not use it`);
    }
  }
}
console.log(JSON.stringify({ modules: names.length }));
