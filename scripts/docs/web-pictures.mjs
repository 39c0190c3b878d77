#!/usr/bin/env node
/** Takes the pictures of docs/guide/web.md: the built program with its offline model, in Chromium. `node scripts/docs/web-pictures.mjs` */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

import { REPOSITORY } from '../workspace.mjs';

const TARGET = join(REPOSITORY, 'docs/guide/web');
const home = mkdtempSync(join(tmpdir(), 'shop-'));
const work = join(home, 'shop');
mkdirSync(work);
mkdirSync(TARGET, { recursive: true });
writeFileSync(
  join(work, 'cart.ts'),
  'export function total(prices: number[]) {\n  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum;\n}\n',
);
for (const words of [
  ['init', '-q'],
  ['add', '.'],
  ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Cart'],
])
  execFileSync('git', words, { cwd: work });
const server = spawn(
  process.execPath,
  [join(REPOSITORY, 'packages/cli/dist/main.js'), 'web', '--port', '0', '--json'],
  {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: home, TENON_HOME: join(home, '.tenon-home'), TENON_PROBE_LOCAL: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
let said = '';
for await (const part of server.stdout) {
  said += part;
  if (said.trim().endsWith('}')) break;
}
const { link, url } = JSON.parse(said);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme: 'light' });
  await page.goto(link);
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByLabel('Message to the agent').fill('rename total to sumOf');
  await page.keyboard.press('Enter');
  await page.locator('.diff').first().waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(TARGET, 'session.png') });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${url}/runs`);
  await page.getByLabel('Task').fill('find files named cart.ts');
  await page.getByLabel('Worker').fill('tenon');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.badge.done').waitFor({ timeout: 60_000 });
  await page.screenshot({ path: join(TARGET, 'run.png') });
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('region', { name: 'Done' }).getByText('cart.ts').waitFor();
  await page.screenshot({ path: join(TARGET, 'runs.png') });
} finally {
  await browser.close();
  server.kill('SIGINT');
  await once(server, 'close');
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
