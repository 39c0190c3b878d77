#!/usr/bin/env node
/**
 * Takes the picture of docs/guide/browser.md: the built program runs the tool `browser` on a page that this script serves.
 * Run it by hand when the tool changes: `node scripts/docs/browser-picture.mjs`.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { REPOSITORY } from '../workspace.mjs';

const PAGE = `<!doctype html><meta charset="utf-8"><title>Joinery shop</title>
<style>
  body { font: 17px/1.5 sans-serif; margin: 0; color: #222; background: #faf7f2 }
  header { background: #6b4226; color: white; padding: 14px 32px; font-size: 22px }
  main { padding: 20px 32px } table { border-collapse: collapse; background: white }
  td, th { border: 1px solid #ddd; padding: 6px 18px; text-align: left }
  input, button { font: inherit; padding: 6px 12px } output { margin-left: 12px; color: #2a7a2a }
</style>
<header>Joinery shop</header>
<main><h1>Tools</h1>
<table><tr><th>Tool<th>Price<tr><td>Chisel, 12 mm<td>12.50<tr><td>Mallet<td>18.00<tr><td>Marking gauge<td>24.90</table>
<form onsubmit="event.preventDefault(); out.textContent = who.value ? 'Thanks, ' + who.value + '.' : 'Please give a name.'">
<p><label>Name <input id="who"></label> <button>Order</button><output id="out"></output></form></main>`;

const home = mkdtempSync(join(tmpdir(), 'tenon-browser-picture-'));
const work = join(home, 'work');
mkdirSync(work);
const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(PAGE);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
try {
  const address = server.address();
  const host = `localhost:${typeof address === 'object' && address ? address.port : 0}`;
  const at = (name) => join(home, name);
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: at('config'),
    XDG_DATA_HOME: at('data'),
    XDG_STATE_HOME: at('state'),
    XDG_CACHE_HOME: at('cache'),
  };
  const tenon = (...words) =>
    promisify(execFile)(process.execPath, [join(REPOSITORY, 'packages/cli/dist/main.js'), ...words], {
      cwd: work,
      env,
    });
  await tenon('config', 'set', 'browser.allowHosts', JSON.stringify([host]));
  const steps = [
    { action: 'open', url: host, viewport: { width: 760, height: 430 } },
    { action: 'fill', selector: '#who', text: 'Ada' },
    { action: 'click', selector: 'button' },
    { action: 'screenshot', path: 'page.png' },
  ];
  await tenon('tool', 'run', 'browser', '--input', JSON.stringify({ steps }));
  copyFileSync(join(work, 'page.png'), join(REPOSITORY, 'docs/guide/screen/browser.png'));
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
}
