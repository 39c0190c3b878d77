/** What a person does in the control room beyond talking to an agent: workflows, reviews, costs, cleaning up, settings. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inCheckout } from '@tenon/test-kit/plugins';
import { until } from '@tenon/test-kit/waiting';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControlRoom, type RoomParts } from '../src/control-room.ts';
import { pageFiles } from '../src/server/page-files.ts';
import { faultsOf, hasBrowser, openPageWorld, type PageWorld } from './page-world.ts';

let world: PageWorld;

describe.skipIf(!hasBrowser)('the pages of the control room', () => {
  beforeAll(async () => {
    world = await openPageWorld();
  });
  afterAll(() => world.close());

  test('a workflow: its graph, a question answered on the page, states as they change, retry and cancel', async () => {
    const { shop, open } = world;
    const nodes = [
      { id: 'build', command: 'echo built' },
      { id: 'ask', needs: ['build'], approve: 'Ship **it**?' },
      { id: 'ship', needs: ['ask'], command: 'test -e ready && echo shipped' },
      { id: 'wait', needs: ['ship'], command: 'sleep 600' },
    ];
    shop.home.put('work/release.json', JSON.stringify({ name: 'Release the shop', nodes }));
    expect((await shop.tenon(['workflow', 'run', 'release.json'])).code).toBe(3);
    const page = await open('/questions');
    await page.getByRole('link', { name: /Release the shop/ }).click();
    const graph = page.getByRole('group', { name: 'Graph' });
    await graph.getByRole('link', { name: /ask.*asking/ }).waitFor();
    expect(await graph.locator('path').count()).toBe(3);
    await page.getByText('Ship **it**?').last().waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.bar .badge.failed').waitFor();
    await graph.getByRole('link', { name: /ship.*failed/ }).waitFor();
    shop.home.put('work/ready', '');
    await page.getByRole('button', { name: 'Run what failed again' }).click();
    await graph.getByRole('link', { name: /wait.*busy/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.bar .badge.cancelled').waitFor();
    await page.getByRole('link', { name: 'Workflows' }).click();
    await page.getByRole('link', { name: /Release the shop.*cancelled/ }).waitFor();
    await page.close();
  });

  test('a call that waits for a yes in another process is answered here, with all of it in view', async () => {
    const { shop, client, open } = world;
    const command = `rm -rf build ${'/srv/x '.repeat(400)}&& echo the end`;
    const calls = [{ type: 'toolCall' as const, id: 'call_rm', name: 'bash', arguments: { command } }];
    shop.model.reply({ content: calls }, { content: [{ type: 'text', text: 'It waits.' }] });
    const page = await open('/questions');
    await page.getByText('Nothing waits for you.').waitFor();
    await shop.tenon(['-p', 'clean up']);
    const card = page.getByRole('region', { name: 'An agent asks for approval' });
    await card.getByText(/&& echo the end$/).waitFor();
    expect(await page.title()).toContain('(');
    expect(await faultsOf(page)).toEqual([]);
    const { approvals } = await client.call('listApprovals', {});
    expect(approvals).toMatchObject([{ tool: 'bash', text: command, tier: 3 }]);
    const params = { id: approvals[0]?.id ?? '' };
    await expect(client.call('answerApproval', { params, body: { choice: 'always' } })).rejects.toMatchObject({
      status: 400,
    });
    await card.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    const choice = approvals[0]?.choices[0]?.id ?? '';
    await expect(client.call('answerApproval', { params, body: { choice } })).rejects.toMatchObject({ status: 409 });
    await page.close();
  });

  test('comments on a change of a session: by mouse and keys, kept over a reload, sent as the next message', async () => {
    const { shop, open } = world;
    const page = await open('/');
    const path = 'src/prices.ts';
    shop.model.reply(
      { content: [{ type: 'toolCall', id: 'call_read', name: 'read', arguments: { path } }] },
      ({ body }) => {
        // Lines are named as `read` has shown them.
        const [, anchor = ''] = /(\d+[a-z]{2})\|const PRICES/.exec(JSON.stringify(body)) ?? [];
        const input = `@@ ${path}\n= ${anchor}..${anchor}\n~const PRICES: Record<string, number> = { apple: 2, pear: 4 };\n`;
        return { content: [{ type: 'toolCall', id: 'call_edit', name: 'edit', arguments: { input } }] };
      },
      { content: [{ type: 'text', text: 'Changed.' }] },
    );
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByLabel('Message to the agent').fill('make pears dearer');
    await page.keyboard.press('Enter');
    await page.getByText('Changed.').waitFor();
    const lines = page.getByRole('listbox', { name: /Changes/ });
    await lines.getByRole('option', { name: /pear: 4/ }).click();
    await page.getByRole('textbox', { name: /prices.ts/ }).fill('Rather 5.');
    await page.keyboard.press('Enter');
    await page.reload();
    await page.getByRole('form', { name: 'Comments for the agent' }).getByText('Rather 5.').waitFor();
    await lines.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.locator('.comment-field textarea:focus').waitFor();
    await page.keyboard.type('And this?');
    await page.keyboard.press('Enter');
    await page.getByLabel('About the changes as a whole').fill('Nearly.');
    shop.model.reply({ content: [{ type: 'text', text: 'Understood.' }] });
    await page.getByRole('button', { name: 'Send 2 comments' }).click();
    await page.getByText('Understood.').waitFor();
    const sent = JSON.stringify(shop.model.requests.at(-1)?.body['messages']);
    for (const text of ['Nearly.', 'Rather 5.', 'And this?', 'src/prices.ts:', 'pear: 4']) expect(sent).toContain(text);
    expect(await page.getByRole('form', { name: 'Comments for the agent' }).count()).toBe(0);
    await page.close();
  });

  test('comments on what a run has changed go to its worker as its next message', async () => {
    const { shop, client, open } = world;
    const body = { task: 'make a file', cwd: shop.home.work, worker: 'hand', worktree: true, validate: false };
    const { id } = await client.call('startRun', { body });
    const page = await open(`/runs/${id}`);
    await page.locator('.bar .badge.done').waitFor();
    await page.getByText(/^Changes/).click();
    await page.getByRole('option', { name: '+made' }).click();
    await page.locator('.comment-field textarea:focus').waitFor();
    await page.keyboard.type('Say more.');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send 1 comment' }).click();
    await until(async () => {
      const { run } = await client.call('viewRun', { params: { id } });
      return run.state === 'done' && /Say more\./.test(run.result?.text ?? '');
    });
    const { run } = await client.call('viewRun', { params: { id } });
    expect(run.result?.text).toContain('made.txt:1');
    // A run without a worktree has nothing to show.
    const plain = await client.call('startRun', { body: { ...body, task: 'just talk', worktree: false } });
    expect(await client.call('runDiff', { params: { id: plain.id } })).toEqual({ files: [], isCut: false });
    await page.close();
  });

  test('costs: charts by day, loaded only here; the first load stays small', async () => {
    const { shop, open } = world;
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString();
    const record = (back: number, model: string, cost: number) => {
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 5_000 };
      const at = day(back);
      return { at, session: 's1', project: '/shop', model, purpose: 'turn', stopReason: 'stop', ...usage, cost };
    };
    for (const [back, model, cost] of [
      [0, 'acme/big', 4.5],
      [3, 'acme/small', 0.25],
      [60, 'acme/old', 100],
    ] as const)
      appendRecord(shop.home.folder, record(back, model, cost));
    const page = await world.window();
    const bodies: Promise<readonly [string, number]>[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      const size = async () => [pathname, gzipSync(await response.body()).length] as const;
      if (!pathname.startsWith('/api/')) bodies.push(size());
    });
    // The page may show what it loaded before this process has read it.
    const loaded = async () => new Map(await Promise.all(bodies));
    await page.goto(`${world.url}/runs`);
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    const atFirst = await loaded();
    expect([...atFirst.keys()]).not.toContain('/charts.js');
    expect([...atFirst.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(60_000);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.locator('.chart canvas').waitFor();
    expect([...(await loaded()).keys()]).toContain('/charts.js');
    await page.getByRole('region', { name: 'Models' }).getByText('acme/big').waitFor();
    expect(await page.getByText('acme/old').count()).toBe(0);
    expect(await paintedColours(page)).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Always' }).click();
    await page.getByRole('region', { name: 'Models' }).getByText('acme/old').waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.locator('.legend').getByText('own keys').waitFor();
    await page.close();
    expect(existsSync(join(shop.home.folder, 'home/state/usage'))).toBe(true);
    await (await open('/usage')).close();
  });

  test('worktrees that were left behind are listed first, then removed; those with work stay', async () => {
    const { shop, client, open } = world;
    shop.model.reply({ content: [{ type: 'text', text: 'x '.repeat(200) }], fault: { kind: 'stall', after: 3 } });
    const child = shop.home.start(['--worktree', 'spare', '-p', 'wait'], {
      env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
      stdio: 'ignore',
    });
    const rows = async () => (await client.call('listWorktrees', {})).worktrees;
    const before = shop.model.requests.length;
    await until(() => shop.model.requests.length > before);
    const spare = (await rows()).find(({ name }) => name === 'spare');
    expect(spare).toMatchObject({ canGo: false });
    // Somebody works there: asking for it does not help.
    const folders = [spare?.folder ?? '', '/etc', shop.home.work];
    const refused = await client.call('removeWorktrees', { body: { folders } });
    expect([refused.removed, refused.kept.length]).toEqual([[], 3]);
    child.kill('SIGKILL');
    await until(async () => (await rows()).some(({ name, canGo }) => name === 'spare' && canGo));
    const page = await open('/worktrees');
    await page.getByRole('button', { name: 'Clean up …' }).click();
    const leftovers = page.getByRole('region', { name: 'What would be removed' });
    await leftovers.getByText('spare').waitFor();
    expect(await leftovers.getByRole('listitem').count()).toBe(1);
    expect(existsSync(spare?.folder ?? '')).toBe(true);
    await leftovers.getByRole('button', { name: 'Remove 1 worktree' }).click();
    await page.getByText('1 worktree removed.').waitFor();
    expect(existsSync(spare?.folder ?? '')).toBe(false);
    // The run of the test before has changed something in its own.
    expect((await rows()).length).toBeGreaterThan(0);
    await page.close();
  });

  test('an address that leads nowhere says so, and what went wrong stays until something else is done', async () => {
    const page = await world.open('/runs/nope');
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.getByText('There is nothing to show.').waitFor();
    await page.getByText('There is no run "nope".').waitFor();
    // The lists are loaded meanwhile, which is no reason to forget it.
    await page.locator('nav .brand .facts', { hasText: /\d/ }).waitFor();
    expect(await page.getByText('There is no run "nope".').count()).toBe(1);
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByText('There is no run "nope".').waitFor({ state: 'detached' });
    await page.goto(`${world.url}/runs/%`);
    await page.getByRole('navigation').waitFor();
    await page.setViewportSize({ width: 380, height: 700 });
    await page.goto(`${world.url}/settings`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    const place = await page.getByRole('link', { name: 'Settings' }).boundingBox();
    expect((place?.x ?? 999) + (place?.width ?? 0)).toBeLessThanOrEqual(381);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('tabs in the background leave the connections of the browser to the one in view, and catch up', async () => {
    const { shop, client, open } = world;
    const { id } = await client.call('openSession', { body: {} });
    const tabs: Page[] = [];
    const turn = async (tab: Page, state: 'hidden' | 'visible') =>
      tab.evaluate((now) => {
        Object.defineProperty(document, 'visibilityState', { value: now, configurable: true });
        Object.defineProperty(document, 'hidden', { value: now === 'hidden', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, state);
    // Each would hold one of the six connections that a browser opens.
    for (let count = 0; count < 7; count += 1) {
      const tab = await open(`/sessions/${id}`);
      await tab.getByLabel('Message to the agent').waitFor();
      tabs.push(tab);
      if (count < 6) await turn(tab, 'hidden');
    }
    shop.model.reply({ content: [{ type: 'text', text: 'All of you can read this.' }] });
    const front = tabs.at(-1) as Page;
    await front.getByLabel('Message to the agent').fill('say something');
    await front.keyboard.press('Enter');
    await front.getByText('All of you can read this.').waitFor();
    await turn(front, 'hidden');
    const back = tabs[0] as Page;
    await turn(back, 'visible');
    await back.getByText('All of you can read this.').waitFor();
    expect(await back.locator('.message').count()).toBe(2);
    for (const tab of tabs) await tab.close();
    await client.call('closeSession', { params: { id } });
  });

  test('five windows side by side follow and act: each takes one of the six connections that a browser opens', async () => {
    const { shop, client, open } = world;
    const { id } = await client.call('openSession', { body: {} });
    const windows: Page[] = [];
    for (let count = 0; count < 5; count += 1) {
      const page = await open(`/sessions/${id}`);
      await page.getByLabel('Message to the agent').waitFor();
      windows.push(page);
    }
    for (const [index, page] of windows.entries()) {
      shop.model.reply({ content: [{ type: 'text', text: `Answer number ${index}.` }] });
      await page.getByLabel('Message to the agent').fill(`question ${index}`);
      await page.getByLabel('Message to the agent').press('Enter');
      for (const other of windows) await other.getByText(`Answer number ${index}.`).waitFor();
    }
    for (const page of windows) await page.close();
    await client.call('closeSession', { params: { id } });
  });

  test('a run that is tried again is followed again', async () => {
    const { shop, client, open } = world;
    const body = { task: 'say it twice', cwd: shop.home.work, worker: 'hand', worktree: false, validate: false };
    const { id } = await client.call('startRun', { body });
    const page = await open(`/runs/${id}`);
    await page.locator('.bar .badge.done').waitFor();
    const said = page.locator('.log', { hasText: 'heard:' }).getByText(/heard:/);
    await said.first().waitFor();
    const before = await said.count();
    await page.getByRole('button', { name: 'Try again' }).click();
    await until(async () => (await said.count()) > before, 'the output of the second attempt');
    await page.close();
  });

  test('what a run writes is followed to its end, until somebody scrolls up', async () => {
    const { shop, client, open } = world;
    const body = { task: 'count on', cwd: shop.home.work, worker: 'hand', worktree: false, validate: false };
    const { id } = await client.call('startRun', { body });
    const page = await open(`/runs/${id}`);
    const log = page.getByRole('log');
    await log.getByText('line 200', { exact: true }).waitFor();
    const left = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await until(async () => (await left()) < 2, 'the end in view');
    await page.setViewportSize({ width: 500, height: 400 });
    await until(async () => (await left()) < 2, 'the end in view of a smaller window');
    await log.evaluate((box) => (box.scrollTop = 0));
    shop.home.put('work/go-on', '');
    await log.getByText('line 400', { exact: true }).waitFor();
    expect(await log.evaluate((box) => box.scrollTop)).toBe(0);
    // Lines follow each other without gaps.
    const [line = 0, next = 0] = await log.evaluate((box) =>
      [...box.querySelectorAll('pre')].filter((row) => /^line 1[01]$/.test(row.innerText)).map((row) => row.offsetTop),
    );
    expect(next - line).toBeLessThan(40);
    await page.close();
  });

  test('what runs and workflows ask is answered where all questions are', async () => {
    const { shop, client, open } = world;
    const nodes = [{ id: 'gate', approve: 'Go on with <b>this</b>?' }];
    shop.home.put('work/gate.json', JSON.stringify({ name: 'Gate', nodes }));
    expect((await shop.tenon(['workflow', 'run', 'gate.json'])).code).toBe(3);
    const body = { task: 'ask me', cwd: shop.home.work, worker: 'hand', worktree: false, validate: false };
    const { id } = await client.call('startRun', { body });
    const page = await open('/questions');
    const run = page.getByRole('region', { name: /^Run / });
    await run.getByRole('button', { name: 'SQLite' }).click();
    expect(await faultsOf(page)).toEqual([]);
    await run.getByRole('button', { name: 'Answer' }).click();
    await until(async () => (await client.call('viewRun', { params: { id } })).run.state === 'done');
    const workflow = page.getByRole('region', { name: 'Workflow Gate' });
    await workflow.getByText('Go on with <b>this</b>?').waitFor();
    await workflow.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    await page.close();
  });

  test('settings can be read, secrets in them not', async () => {
    const page = await world.open('/settings');
    await page.getByText('models.roles', { exact: false }).first().waitFor();
    await page.getByRole('region', { name: 'Installed plugins' }).waitFor();
    expect(await page.getByText('workers.custom').count()).toBeGreaterThan(0);
    const { settings } = await world.client.call('listSettings', {});
    expect(JSON.stringify(settings)).not.toContain('hidden-word');
    await page.getByLabel('Search settings').fill('sandbox');
    await page.locator('td code', { hasText: 'sandbox.' }).first().waitFor();
    await page.close();
  });

  test('a session file that somebody has written by hand harms neither the page nor the list', async () => {
    const { shop, client, open } = world;
    const id = 'bbbb000000000001';
    const rows = [
      { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: shop.home.work, title: { a: 1 } },
      ...[
        { role: 'user', content: 'a plain word' },
        { role: 'user', content: 7 },
        { role: 'assistant', content: [null, 5, { type: 'text', text: {} }, { type: 'toolCall', name: [], id: 3 }] },
        { role: 'assistant', content: { length: 3 }, usage: { cost: { total: 'much' } }, errorMessage: { a: 1 } },
        { role: 'toolResult', toolCallId: {}, content: 'x', details: { diff: 3, files: [null, { diff: {} }] } },
        { role: 'user', content: [{ type: 'image', data: 'x', mimeType: 'text/html"><script>' }] },
        { role: '__proto__', content: '<img src=x onerror=document.title="owned">' },
        { role: 'user', content: 'the last word' },
      ].map((message, index) => ({
        type: 'message',
        id: `${index}0000000`,
        parentId: index === 0 ? null : `${index - 1}0000000`,
        timestamp: '2026-01-01T00:00:00.000Z',
        message,
      })),
    ];
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    shop.home.put(`home/data/sessions/by-hand/2026-01-01T00-00-00-000Z_${id}.jsonl`, text);
    shop.home.put('home/data/sessions/by-hand/2026-01-01T00-00-00-000Z_cccc.jsonl', 'null\n[]\n{"type":"session"}\n');
    const { sessions } = await client.call('listSessions', {});
    expect(sessions.some((session) => session.id === id)).toBe(true);
    const page = await open(`/sessions/${id}`);
    const faults: string[] = [];
    page.on('pageerror', (fault) => faults.push(fault.message));
    await page.getByText('the last word').waitFor();
    await page.getByText('a plain word').waitFor();
    expect([faults, await page.title()]).toEqual([[], 'Tenon']);
    await page.close();
  });

  test('two control rooms of one user share token and lists; a session that one has open is refused by the other', async () => {
    const { client, another } = world;
    const { id } = await client.call('openSession', { body: {} });
    world.shop.model.reply({ content: [{ type: 'text', text: 'Here.' }] });
    await client.call('prompt', { params: { id }, body: { message: 'be there' } });
    await until(async () => (await client.call('viewSession', { params: { id } })).total === 2);
    const second = await another();
    expect((await second.client.call('listSessions', {})).sessions.some((session) => session.id === id)).toBe(true);
    await expect(second.client.call('openSession', { body: { resume: id } })).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/is open in process/),
    });
    // The first goes on.
    expect((await client.call('viewSession', { params: { id } })).total).toBe(2);
    await client.call('closeSession', { params: { id } });
    expect((await second.client.call('openSession', { body: { resume: id } })).total).toBe(2);
    // Where no agent can be started, the page shows what was said, says why, and tries again when it is asked to.
    const page = await world.open(`/sessions/${id}`);
    const again = page.getByRole('button', { name: 'Open it again' });
    await again.waitFor();
    await page.getByText('Here.').waitFor();
    await page.getByText(/is open in process/).waitFor();
    await second.client.call('closeSession', { params: { id } });
    await again.click();
    await page.getByLabel('Message to the agent').waitFor();
    await page.close();
    await client.call('closeSession', { params: { id } });
    second.server.kill('SIGINT');
  });

  test('while an answer streams, nothing that a person looks at moves', async () => {
    const { shop, open } = world;
    const page = await open('/');
    await page.getByRole('button', { name: 'New session' }).click();
    const first = Array.from({ length: 60 }, (_, index) => `Line ${index}.`).join('\n\n');
    shop.model.reply({ content: [{ type: 'text', text: first }] });
    await page.getByLabel('Message to the agent').fill('much');
    await page.keyboard.press('Enter');
    await page.getByText('Line 59.').waitFor();
    const second = Array.from({ length: 200 }, (_, index) => `Word ${index}.`).join('\n\n');
    shop.model.reply({ content: [{ type: 'text', text: second }], deltaSize: 12, paceMs: 5 });
    await page.getByLabel('Message to the agent').fill('more');
    await page.keyboard.press('Enter');
    await page.getByText('Word 0.').waitFor();
    const box = page.locator('.transcript');
    await box.evaluate((element) => (element.scrollTop = 200));
    const places = async () => {
      const [line, field] = [page.getByText('Line 9.', { exact: true }), page.getByLabel('Message to the agent')];
      return [(await line.boundingBox())?.y, (await field.boundingBox())?.y];
    };
    const before = await places();
    const seen: unknown[] = [];
    await until(async () => {
      seen.push(await places());
      return (await page.getByText('Word 199.').count()) > 0;
    });
    for (const place of seen) expect(place).toEqual(before);
    expect(seen.length).toBeGreaterThan(1);
    await page.close();
  });

  test('hosts of a fleet are shown where there is one', async () => {
    const host = {
      slots: 4,
      labels: ['gpu', 'eu'],
      started: '2026-01-01T00:00:00.000Z',
      hasKey: true,
      version: '0.1.0',
    };
    const seen = new Date().toISOString();
    const hosts = [
      { ...host, name: 'anvil', state: 'live', runs: 3, seen },
      { ...host, name: 'bellows', state: 'lost', runs: 0, seen },
    ] as const;
    const limits = [{ key: 'account:anthropic-1', most: 2, used: 1 }];
    const status = async () => ({ hosts, states: { running: 3 }, waiting: 7, limits });
    const none = async () => undefined;
    const folder = world.shop.home.work;
    const parts = {
      folders: { cwd: folder, home: folder },
      sessions: { list: async () => [] },
      runs: async () => ({ list: async () => [] }),
      worktrees: none,
      accounts: none,
      approvals: none,
      workflows: none,
      fleet: async () => ({ isSetUp: () => true, status }),
      page: pageFiles(inCheckout('packages', 'cli', 'dist', 'web-page')),
      version: '1',
    } as unknown as RoomParts;
    const token = 'h'.repeat(43);
    const room = await openControlRoom(parts, { address: '127.0.0.1', port: 0, token: () => token, names: [] });
    const page = await world.window();
    await page.goto(`${room.origin}/#token=${token}`);
    await page.getByRole('link', { name: 'Hosts' }).click();
    await page.getByRole('row', { name: /anvil live 3 of 4 gpu, eu/ }).waitFor();
    await page.getByText('7 runs without a host').waitFor();
    await page.getByRole('region', { name: 'Limits' }).getByText('1 of 2').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.close();
    await room.close();
    const own = await world.open('/');
    await own.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await own.getByRole('link', { name: 'Hosts' }).count()).toBe(0);
    await own.close();
  });

  test('axe finds nothing wrong, nothing is wider than a narrow screen, and keys lead everywhere', async () => {
    const { client, shop, open } = world;
    const [workflow] = (await client.call('listWorkflows', {})).workflows;
    const { runs } = await client.call('listRuns', {});
    const changed = runs.find(({ request }) => request.task === 'make a file');
    const paths = [
      '/workflows',
      `/workflows/${workflow?.id}`,
      `/runs/${changed?.id}`,
      '/usage',
      '/worktrees',
      '/accounts',
      '/questions',
      '/settings',
    ];
    for (const path of paths) {
      const page = await open(path);
      await page.locator('h1').first().waitFor();
      await page.getByText(/^Loading/).waitFor({ state: 'detached' });
      if (path.startsWith('/runs/')) {
        await page.getByText(/^Changes/).click();
        await page.getByRole('listbox').waitFor();
      }
      for (const [scheme, width] of [
        ['light', 1_100],
        ['dark', 380],
      ] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 760 });
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        expect([path, scheme, wide <= 0, await faultsOf(page)]).toEqual([path, scheme, true, []]);
        const outside = page
          .locator('td')
          .evaluateAll((cells) =>
            cells.flatMap((cell) => (cell.getBoundingClientRect().right > innerWidth ? [cell.innerHTML] : [])),
          );
        expect([path, width, await outside]).toEqual([path, width, []]);
      }
      await page.close();
    }
    const page = await open('/');
    const titles = ['Sessions', 'Questions', 'Runs', 'Workflows', 'Worktrees', 'Accounts', 'Usage', 'Settings'];
    for (const [index, title] of titles.entries()) {
      await page.keyboard.press(`Alt+${index + 1}`);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    }
    await page.close();
    expect(shop.home.work).not.toBe('');
  });
});

function appendRecord(folder: string, record: { readonly at: string }): void {
  const file = `home/state/usage/${record.at.slice(0, 7)}.jsonl`;
  const path = join(folder, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  world.shop.home.put(file, `${before}${JSON.stringify(record)}\n`);
}

/** How many colours the chart has: an empty one has hardly any. */
async function paintedColours(page: Page): Promise<number> {
  const count = `(() => {
    const canvas = document.querySelector('.chart canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colours.add(data.slice(at, at + 3).join());
    return colours.size;
  })()`;
  return Number(await page.evaluate(count));
}
