#!/usr/bin/env node
/** Takes the pictures of docs/guide/web.md: the built program with its offline model, in Chromium. `node scripts/docs/web-pictures.mjs` */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const place = {
  cwd: work,
  env: { PATH: process.env.PATH, HOME: home, TENON_HOME: join(home, '.tenon-home'), TENON_PROBE_LOCAL: 'false' },
};
const main = join(REPOSITORY, 'packages/cli/dist/main.js');
writeLedger(join(home, '.tenon-home', 'state', 'usage'));
writeFileSync(join(work, 'release.json'), JSON.stringify(release()));
// It waits for an answer, which is no success for a command.
spawnSync(process.execPath, [main, 'workflow', 'run', 'release.json'], { ...place, stdio: 'ignore' });
const server = spawn(process.execPath, [main, 'web', '--port', '0', '--json'], {
  ...place,
  stdio: ['ignore', 'pipe', 'inherit'],
});
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
  await page.getByRole('option', { name: /sumOf/ }).first().click();
  await page.locator('.comment-field textarea:focus').waitFor();
  await page.keyboard.type('Say in a comment what it adds up.');
  await page.keyboard.press('Enter');
  await page.getByLabel('About the changes as a whole').fill('Good. One thing:');
  await page.screenshot({ path: join(TARGET, 'review.png') });
  await page.goto(`${url}/workflows`);
  await page.getByRole('link', { name: /Release the shop/ }).click();
  await page.getByRole('group', { name: 'Graph' }).waitFor();
  await page.screenshot({ path: join(TARGET, 'workflow.png') });
  await page.goto(`${url}/usage`);
  await page.locator('.chart canvas').waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(TARGET, 'usage.png') });
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

/** A month of work with made-up models. */
function writeLedger(folder) {
  mkdirSync(folder, { recursive: true });
  const models = ['acme/large', 'acme/small', 'other/fast', 'local/quiet'];
  for (let back = 29; back >= 0; back -= 1) {
    const at = new Date(Date.now() - back * 86_400_000);
    // Weekends are quiet.
    const calls = [0, 6].includes(at.getUTCDay()) ? 1 : 4;
    for (let call = 0; call < calls; call += 1) {
      const model = models[(back * 3 + call) % models.length];
      const cost = model.startsWith('local') ? 0 : ((back * 7 + call * 5) % 11) * 0.21 + 0.1;
      const tokens = 20_000 + ((back * 13 + call * 7) % 17) * 4_000;
      const record = {
        at: at.toISOString(),
        session: `s${back % 5}`,
        project: '/home/me/shop',
        model,
        purpose: 'turn',
      };
      const counts = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: tokens, cost };
      const line = JSON.stringify({ ...record, stopReason: 'stop', ...counts });
      appendFileSync(join(folder, `${record.at.slice(0, 7)}.jsonl`), `${line}\n`);
    }
  }
}

function release() {
  return {
    name: 'Release the shop',
    nodes: [
      { id: 'clean', command: 'git status --short' },
      { id: 'types', needs: ['clean'], command: 'echo no mistakes' },
      { id: 'tests', needs: ['clean'], command: 'echo 12 passed' },
      { id: 'lint', needs: ['clean'], command: 'echo "cart.ts: unused name" && exit 1', mayFail: true },
      {
        id: 'approve',
        needs: ['types', 'tests', 'lint'],
        approve: 'Release version 1.4? The tests say: {{tests.output}}',
      },
      { id: 'tag', needs: ['approve'], command: 'echo would tag' },
      { id: 'notes', needs: ['approve'], command: 'echo would write notes' },
      { id: 'publish', needs: ['tag', 'notes'], command: 'echo would publish' },
    ],
  };
}
