/** The control room in a real browser: the built program, a scripted model, and everything that a person does there. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { converse } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { processesWith } from '@tenon/test-kit/processes';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { ApiClient, type SessionView } from '@tenon/web/api';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PATIENCE = patientLimit(60_000);

interface Room {
  readonly url: string;
  readonly token: string;
  readonly link: string;
}

let browser: Browser;
let shop: Workshop;
let server: ChildProcess;
let room: Room;
let client: ApiClient;
let context: BrowserContext;

describe.skipIf(!existsSync(CHROMIUM))('the control room in a browser', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    shop = await openWorkshop();
    shop.home.put(
      'bin/hand',
      '#!/bin/sh\ncase "$*" in *"make a file"*) echo made >made.txt;; esac\necho "made by hand"\n',
    );
    const program = join(shop.home.folder, 'bin/hand');
    chmodSync(program, 0o755);
    const hand = { program, args: ['{prompt}'], output: 'text', versionArgs: ['--version'] };
    const settings = JSON.parse(readFileSync(shop.home.settings, 'utf8')) as object;
    const more = { models: { roles: { default: 'fake/m' } }, workers: { custom: { hand } } };
    writeFileSync(shop.home.settings, JSON.stringify({ ...settings, ...more }));
    ({ server, room } = await openRoom());
    client = new ApiClient({ base: room.url, token: room.token });
    context = await browser.newContext({ viewport: { width: 1100, height: 760 } });
    context.setDefaultTimeout(PATIENCE);
  });
  afterEach(async () => {
    await context.close();
    server.kill('SIGINT');
    await until(() => processesWith(shop.home.folder).length === 0);
    await shop.close();
  });

  test('a session: a prompt, a streamed answer, a question that two pages see and the first answers, a steering word, a stop', async () => {
    const [one, two] = [await open('/'), await open('/')];
    const question = {
      questions: [{ id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
    };
    shop.model.reply(
      { content: [{ type: 'text', text: 'I **ask** first.' }, call('ask', question)] },
      { content: [{ type: 'text', text: 'So be it: see `cart.ts`.' }] },
    );
    await one.getByRole('button', { name: 'New session' }).click();
    await say(one, 'choose a database');
    await one.locator('.question').getByText('Which database?').waitFor();
    expect(await one.locator('.message strong').textContent()).toBe('ask');
    await two.getByRole('link', { name: /Questions/ }).click();
    await two.getByText('Which database?').waitFor();
    const questions = await client.call('listQuestions', {});
    await two.getByRole('button', { name: 'PostgreSQL' }).click();
    await one.getByText('So be it').waitFor();
    await until(async () => (await one.locator('.question').count()) === 0);
    const id = questions.questions[0]?.id ?? '';
    await expect(client.call('answerQuestion', { params: { id }, body: { value: 'SQLite' } })).rejects.toMatchObject({
      status: 409,
      code: 'WEB_QUESTION_GONE',
    });
    const answered = shop.model.requests.at(-1)?.body['messages'];
    expect(JSON.stringify(answered)).toContain('PostgreSQL');

    shop.model.reply({
      content: [{ type: 'text', text: 'word '.repeat(400) }],
      deltaSize: 5,
      fault: { kind: 'stall', after: 60 },
    });
    await say(one, 'go on for ever');
    await one.getByRole('button', { name: 'Stop' }).click();
    await one.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('a draft survives a reload, and what was sent is not lost when the server is away', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'New session' }).click();
    const field = page.getByLabel('Message to the agent');
    await field.fill('half a thought');
    await page.reload();
    expect(await page.getByLabel('Message to the agent').inputValue()).toBe('half a thought');
    await context.setOffline(true);
    await page.getByLabel('Message to the agent').press('Enter');
    await page.locator('.notice').first().waitFor();
    expect(await page.getByLabel('Message to the agent').inputValue()).toBe('half a thought');
    await context.setOffline(false);
    shop.model.reply({ content: [{ type: 'text', text: 'A whole answer.' }] });
    await page.getByLabel('Message to the agent').press('Enter');
    await page.getByText('A whole answer.').waitFor();
    expect(await page.getByLabel('Message to the agent').inputValue()).toBe('');
  });

  test('a page whose connection breaks again and again while an answer streams shows what the server has', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'New session' }).click();
    await page.locator('.composer').waitFor();
    const text = Array.from({ length: 300 }, (_, index) => `w${index}`).join(' ');
    shop.model.reply({ content: [{ type: 'text', text }], deltaSize: 4, paceMs: 5 });
    await say(page, 'stream');
    for (let cut = 0; cut < 8; cut += 1) {
      await page.waitForTimeout(40 + ((cut * 97) % 160));
      await context.setOffline(true);
      await page.waitForTimeout(20 + ((cut * 53) % 90));
      await context.setOffline(false);
    }
    const view = await whenIdle(page);
    await until(async () => (await page.locator('.message.assistant').last().innerText()).trim() === text);
    expect(view.total).toBe(2);
    expect(await page.locator('.message').count()).toBe(2);
  });

  test('of a long session the newest messages are there first, the older ones on request, and nothing jumps', async () => {
    const file = longSession(10_000);
    // Its messages are there before an agent is.
    const first = await client.call('sessionEntries', { params: { id: file }, query: { limit: '50' } });
    expect([first.total, first.entries.length, first.entries[0]?.index]).toEqual([10_000, 50, 9_950]);
    expect((await client.call('overview', {})).openSessions).toBe(0);
    for (const id of [file.slice(0, 8), '../../../../etc/passwd', join(shop.home.folder, 'x.jsonl')])
      await expect(client.call('sessionEntries', { params: { id } })).rejects.toMatchObject({ status: 404 });
    const page = await open(`/sessions/${file}`);
    await page.getByText('message 9999', { exact: true }).waitFor();
    expect(await page.locator('.message').count()).toBe(50);
    const box = page.locator('.transcript');
    await box.evaluate((element) => (element.scrollTop = 0));
    const before = await page.getByText('message 9950', { exact: true }).boundingBox();
    await page.getByRole('button', { name: /older/ }).click();
    await page.getByText('message 9900', { exact: true }).waitFor();
    const after = await page.getByText('message 9950', { exact: true }).boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 9_999))).toBeLessThan(60);
  });

  test('a run: started from the board, followed to its end, and its changes applied', async () => {
    const page = await open('/runs');
    await page.getByLabel('Task').fill('just talk');
    await page.getByLabel('Worker').fill('hand');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('.badge.done').waitFor();
    await page.getByLabel('Result').getByText('made by hand').waitFor();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('region', { name: 'Done' }).getByText('just talk').waitFor();

    const body = { task: 'make a file', cwd: shop.home.work, worker: 'hand', worktree: true, validate: false };
    const { id } = await client.call('startRun', { body });
    await page.getByRole('region', { name: 'Done' }).getByText('make a file').click();
    expect(existsSync(join(shop.home.work, 'made.txt'))).toBe(false);
    await page.getByRole('button', { name: 'Apply its changes' }).click();
    await until(() => existsSync(join(shop.home.work, 'made.txt')));
    const { run } = await client.call('viewRun', { params: { id } });
    expect(run.state).toBe('done');
  });

  test('axe finds nothing wrong on any page, in light and dark, wide and narrow', async () => {
    const id = longSession(3);
    const paths = {
      light: ['/', `/sessions/${id}`, '/runs', '/worktrees'],
      dark: [`/sessions/${id}`, '/runs', '/accounts'],
    };
    for (const scheme of ['light', 'dark'] as const)
      for (const path of paths[scheme]) {
        const page = await open(path);
        await page.emulateMedia({ colorScheme: scheme });
        if (scheme === 'dark') await page.setViewportSize({ width: 380, height: 700 });
        await page.locator('h1').first().waitFor();
        await page.addScriptTag({ path: AXE }).catch(() => page.evaluate(readFileSync(AXE, 'utf8')));
        const found = await page.evaluate(async () => {
          const { violations } = await (
            globalThis as unknown as {
              axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
            }
          ).axe.run();
          return violations.map((violation) => `${violation.id}: ${violation.nodes.map(({ html }) => html).join(' ')}`);
        });
        expect([path, scheme, found]).toEqual([path, scheme, []]);
        await page.close();
      }
  });

  test('without the token the page says so; what a model writes never becomes part of the page', async () => {
    const stranger = await context.newPage();
    await stranger.goto(room.url);
    await stranger.getByText('The control room is closed').waitFor();
    await stranger.close();
    const page = await open('/');
    await page.getByRole('button', { name: 'New session' }).click();
    const evil =
      '<img src=x onerror="document.title=1"> <script>document.title=2</script> [go](javascript:document.title=3) ![x](http://127.0.0.1:9/a.png)';
    shop.model.reply({ content: [{ type: 'text', text: evil }] });
    await say(page, evil);
    await page.locator('.message.assistant').waitFor();
    await whenIdle(page);
    expect(await page.title()).toBe('Tenon');
    expect(await page.locator('.transcript img, .transcript script, .transcript a').count()).toBe(0);
  });

  test('when the server is killed, its agents end', async () => {
    const { id } = await client.call('openSession', { body: {} });
    expect(id).toMatch(/\w/);
    const agents = () => childrenOf(server.pid ?? 0);
    const pids = agents();
    expect(pids.length).toBeGreaterThan(0);
    server.kill('SIGKILL');
    await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)));
  });
});

async function openRoom(): Promise<{ server: ChildProcess; room: Room }> {
  const child = shop.home.start(['web', '--port', '0', '--json'], {
    env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout?.on('data', (part: Buffer) => (said += part.toString()));
  await until(() => said.trim().endsWith('}'));
  return { server: child, room: JSON.parse(said) as Room };
}

/** A page of the control room that is not at its front door. */
async function open(path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(room.link);
  await page.getByRole('navigation').waitFor();
  if (path !== '/') await page.goto(`${room.url}${path}`);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message to the agent').fill(text);
  await page.getByLabel('Message to the agent').press('Enter');
}

async function whenIdle(page: Page): Promise<SessionView> {
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  let view: SessionView | undefined;
  await until(async () => {
    view = await client.call('viewSession', { params: { id } });
    return !view.state.isStreaming && view.total > 1;
  });
  if (!view) throw new Error('the session was never seen');
  return view;
}

let calls = 0;
function call(name: string, input: object) {
  return { type: 'toolCall' as const, id: `call_${++calls}`, name, arguments: input };
}

/** Writes a session of many messages as Tenon would; gives its id. */
function longSession(count: number): string {
  const id = `aaaa${String(count).padStart(12, '0')}`;
  const header = { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: shop.home.work };
  const rows: unknown[] = [header];
  for (let index = 0; index < count; index += 1) {
    const message = { role: 'user', content: `message ${index}`, timestamp: 1_767_225_600_000 + index };
    const entryId = index.toString(16).padStart(8, '0');
    const parentId = index === 0 ? null : (index - 1).toString(16).padStart(8, '0');
    rows.push({ type: 'message', id: entryId, parentId, timestamp: '2026-01-01T00:00:00.000Z', message });
  }
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  shop.home.put(`home/data/sessions/by-hand/2026-01-01T00-00-00-000Z_${id}.jsonl`, text);
  return id;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

test('an agent cannot read the token without asking', async () => {
  shop = await openWorkshop();
  shop.home.put('home/state/web-secret', `${'x'.repeat(43)}\n`);
  const path = join(shop.home.folder, 'home/state/web-secret');
  const { results } = await converse(
    shop,
    [{ say: 'I look.', calls: [{ tool: 'read', input: { path }, says: /./, fails: true }] }],
    {
      last: 'No.',
      prompt: 'read it',
    },
  );
  expect(results).toMatchObject([{ isError: true }]);
  expect(results[0]?.text).not.toContain('xxxx');
  await shop.close();
});
