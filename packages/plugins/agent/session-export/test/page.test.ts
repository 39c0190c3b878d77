import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AssistantMessage, NO_USAGE } from '@tenon/models/api';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { titleOf } from '../src/html/markdown.ts';
import { renderPage } from '../src/html/page.ts';

const EVIL = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const CHROMIUM = [
  process.env['TENON_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

let folder: string;
let session: Session;
let remove: () => Promise<void>;
const ids: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-page-'));
  const world = await createWorld();
  remove = world.remove;
  session = (await world.kernel.find(sessionStore)).inMemory({ cwd: '/work/<project>' });
  const user = (text: string) => session.append('message', { message: { role: 'user', content: text, timestamp: 1 } });
  const say = (content: Parameters<typeof assistant>[0]) => session.append('message', { message: assistant(content) });
  ids['first'] = await user(`# Please **fix** \`it\`\n\nNow. **Soon.** ${EVIL}`);
  ids['call'] = await say([
    { type: 'thinking', thinking: 'Hm, let me see.' },
    { type: 'text', text: `I will.\n\n[bad](javascript:alert(1)) [good](https://example.org) ${EVIL}` },
    { type: 'toolCall', id: 'c1', name: 'edit', arguments: { path: 'a.ts', oldText: 'let a', newText: 'const a' } },
  ]);
  const answer = (toolCallId: string, toolName: string, text: string, more: { details?: object; isError?: boolean }) =>
    session.append('message', {
      message: {
        role: 'toolResult',
        toolCallId,
        toolName,
        content: [{ type: 'text', text }],
        isError: false,
        timestamp: 1,
        ...more,
      },
    });
  await answer('c1', 'edit', 'changed', {
    details: { diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-let a\n+const a\n' },
  });
  ids['calls'] = await say([
    { type: 'toolCall', id: 'c2', name: 'todo_write', arguments: { ops: [{ op: 'init', items: ['Read', 'Write'] }] } },
    {
      type: 'toolCall',
      id: 'c3',
      name: 'bash',
      arguments: { command: 'cd src\nls **/*.ts', env: { LANG: 'C' }, timeout: 5 },
    },
  ]);
  const tasks = [
    { id: 't1', content: `Read ${EVIL}`, status: 'completed' },
    { id: 't2', content: 'Write', status: 'in_progress', notes: ['carefully'] },
  ];
  await answer('c2', 'todo_write', '1 to do.', { details: { phases: [{ id: 'p1', name: 'Todos', tasks }] } });
  ids['after-calls'] = await answer('c3', 'bash', 'no such folder', { isError: true });
  ids['old'] = await say([{ type: 'text', text: 'The old ending.' }]);
  session.moveTo(ids['after-calls'] ?? null);
  ids['again'] = await user('No, differently.');
  ids['new'] = await say([{ type: 'text', text: 'The new ending.' }]);
  await session.append('label', { targetId: ids['new'] ?? '', label: 'final' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await remove();
});

function assistant(content: AssistantMessage['content']): AssistantMessage {
  return {
    role: 'assistant',
    content,
    api: 't',
    provider: 'p',
    model: 'm',
    usage: { ...NO_USAGE, totalTokens: 1_000, cost: { ...NO_USAGE.cost, total: 0.5 } },
    stopReason: 'stop',
    timestamp: 1,
  };
}

describe('the page', () => {
  it('needs nothing from outside and lets nothing of the transcript become HTML', () => {
    const page = renderPage(session);
    expect(page).not.toMatch(/<(?:link|iframe|object)|src="(?!data:)|url\(|@import/);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('href="javascript:');
    expect(page).toContain('/work/&#60;project&#62;');
  });

  it('shows every result once: with its call, or on its own where branches have different results', async () => {
    const world = await createWorld();
    const forked = (await world.kernel.find(sessionStore)).inMemory({ cwd: '/' });
    await forked.append('message', { message: { role: 'user', content: 'Go', timestamp: 1 } });
    const call = await forked.append('message', {
      message: assistant([{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'date' } }]),
    });
    for (const text of ['first answer', 'second answer']) {
      forked.moveTo(call);
      const result = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', isError: false, timestamp: 1 } as const;
      await forked.append('message', { message: { ...result, content: [{ type: 'text', text }] } });
    }
    const page = renderPage(forked);
    const articles = page.split('<article').slice(1);
    expect(articles).toHaveLength(4);
    expect(articles.filter((article) => article.includes('first answer'))).toHaveLength(1);
    expect(articles[1]).not.toContain('answer');
    expect(articles.at(-1)).toContain('second answer');
    await world.remove();
  });

  it('has titles without Markdown', () => {
    const page = renderPage(session);
    expect(page).toContain('<title>Please fix it</title>');
    expect(page).toMatch(/<h1>Please fix it<\/h1>/);
    for (const [text, title] of [
      ['## A *b* `c`\n\ntext', 'A b c'],
      ['- [one](https://x.y)\n- two', 'one'],
      ['> quoted **text**', 'quoted text'],
      ['```ts\nconst a = 1;\n```', 'const a = 1;'],
      ['---\n\nafter a line', 'after a line'],
      ['snake_case_name and **/*.ts', 'snake_case_name and **/*.ts'],
      ['| a | b |\n|---|---|\n| 1 | 2 |', 'a'],
      ['', ''],
    ] as const)
      expect(titleOf(text)).toBe(title);
  });

  it('shows a very long conversation without running out of stack', async () => {
    const world = await createWorld();
    const long = (await world.kernel.find(sessionStore)).inMemory({ cwd: '/' });
    for (let n = 0; n < 3_000; n++)
      await long.append('message', { message: { role: 'user', content: `m${n}`, timestamp: 1 } });
    expect(renderPage(long)).toContain('m2999');
    await world.remove();
  });
});

/** Runs in the browser. */
function colourBehind(element: unknown): string {
  const page = globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } };
  return page.getComputedStyle(element).backgroundColor;
}

if (!CHROMIUM)
  process.stderr.write(
    'session-export: NO CHROMIUM was found, so the page was NOT checked in a browser. Install it or set TENON_CHROMIUM.\n',
  );

describe.skipIf(!CHROMIUM)('the page in a real browser', () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', (fault) => void problems.push(fault.message));
    page.on('request', (request) => void requests.push(request.url()));
    const file = join(folder, 'page.html');
    writeFileSync(file, renderPage(session));
    await page.goto(pathToFileURL(file).href);
  });
  afterAll(() => browser?.close());

  it('shows the active branch and runs nothing that the transcript brought', async () => {
    expect(await page.title()).toBe('Please fix it');
    expect(await page.locator('text=The new ending.').first().isVisible()).toBe(true);
    expect(await page.locator(`#e-${ids['old']}`).isVisible()).toBe(false);
    expect(await page.locator('main strong').first().textContent()).toBe('fix');
    expect(await page.locator('.label').textContent()).toBe('final');
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  });

  it('shows a change open, beside its call, and colours what was added and removed in light and dark', async () => {
    const call = page.locator(`#e-${ids['call']} details.call`);
    expect(await call.getAttribute('open')).not.toBeNull();
    const [added, removed] = [call.locator('.added'), call.locator('.removed')];
    expect(await added.textContent()).toBe('+const a\n');
    expect(await added.isVisible()).toBe(true);
    const colours: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      colours.push(await added.evaluate(colourBehind), await removed.evaluate(colourBehind));
    }
    expect(new Set(colours).size).toBe(4);
    await page.emulateMedia({ colorScheme: null });
  });

  it('shows arguments by name, a plan as a list, and a failure open', async () => {
    const [plan, failed] = [0, 1].map((index) => page.locator(`#e-${ids['calls']} details.call`).nth(index));
    expect(await plan?.locator('.plan li').allInnerTexts()).toEqual([
      expect.stringContaining('✓ Read <img'),
      expect.stringMatching(/^▸ Write\s+carefully$/),
    ]);
    expect(await failed?.locator('.arguments').first().innerText()).toMatch(
      /^command\s+cd src\nls \*\*\/\*\.ts\s+env\s+LANG\s+C\s+timeout\s+5$/,
    );
    expect(await failed?.locator('text=no such folder').last().isVisible()).toBe(true);
  });

  it('folds and unfolds everything', async () => {
    await page.click('#unfold');
    expect(await page.locator('main details:not([open])').count()).toBe(0);
    expect(await page.locator(`#e-${ids['call']} .thinking .prose`).isVisible()).toBe(true);
    await page.click('#fold');
    expect(await page.locator('main details[open]').count()).toBe(0);
  });

  it('goes to another branch by the tree, and back', async () => {
    await page.click(`nav li[data-id="${ids['old']}"] a`);
    expect(await page.locator(`#e-${ids['old']}`).isVisible()).toBe(true);
    expect(await page.locator(`#e-${ids['new']}`).isVisible()).toBe(false);
    expect(await page.locator(`#e-${ids['first']}`).isVisible()).toBe(true);
    await page.click(`nav li[data-id="${ids['again']}"] a`);
    expect(await page.locator(`#e-${ids['new']}`).isVisible()).toBe(true);
    expect(await page.locator(`#e-${ids['old']}`).isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });
});
