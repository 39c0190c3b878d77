/** A real browser whose connections are cut in the middle of anything shows in the end what the server has. */
import { inCheckout } from '@tenon/test-kit/plugins';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ApiClient } from '../src/api.ts';
import type { RoomParts } from '../src/control-room.ts';
import { pageFiles } from '../src/server/page-files.ts';
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';
import { CHROMIUM, hasBrowser } from './page-world.ts';
import { openTalkingRoom, TOKEN } from './talking-room.ts';

const CUTS = 100;
const WORDS = 600;

/** As many runs as are said to wait for a person. */
function waitingRuns() {
  const now = { count: 0 };
  // Whole enough to be drawn: a page whose drawing fails shows anything or nothing.
  const rest = { worker: 'hand', created: '2026-01-01T00:00:00.000Z', session: 1, usage: { input: 0, output: 0 } };
  const run = (id: number) => ({
    ...rest,
    id: `r${id}`,
    alias: `otter-${id}`,
    state: 'waiting',
    request: { task: 'x' },
  });
  const list = async () => Array.from({ length: now.count }, (_, index) => run(index));
  const runs = async () => ({ list }) as unknown as Awaited<ReturnType<RoomParts['runs']>>;
  return { now, parts: { runs, page: pageFiles(inCheckout('packages', 'cli', 'dist', 'web-page')) } };
}

async function openBrowser(): Promise<Page> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  later(() => browser.close());
  const page = await browser.newPage();
  // A connection that was lost comes back at once: this is about what is shown, not about how long that takes.
  await page.addInitScript(() => {
    const usual = globalThis.setTimeout.bind(globalThis);
    Object.assign(globalThis, { setTimeout: (work: () => void, wait = 0) => usual(work, Math.min(wait, 10)) });
  });
  return page;
}

test.skipIf(!hasBrowser)(`a page whose connections are cut at ${CUTS} random points equals the server`, async () => {
  const { now, parts } = waitingRuns();
  const room = await openTalkingRoom(WORDS, parts);
  const direct = new ApiClient({ base: room.origin, token: TOKEN });
  const { id } = await direct.call('openSession', { body: {} });
  // Most of a thousand bytes are the head; there is more to say than what passes all of these. Answers that are shorter are not cut.
  const points = fc.sample(fc.integer({ min: 1, max: 1_500 }), 10 * CUTS);
  // What a person asks for with a click is not sent again by itself.
  const isCut = (line: string) => line.startsWith('GET /api/') && proxy.count() < CUTS;
  const proxy: CuttingProxy = await cuttingProxy(room.port, (line) => (isCut(line) ? points.pop() : undefined));
  const page = await openBrowser();
  await page.goto(`http://127.0.0.1:${proxy.port}/sessions/${id}#token=${TOKEN}`);
  await page.getByLabel('Message to the agent').waitFor();
  await direct.call('prompt', { params: { id }, body: { message: 'go' } });
  await until(() => {
    const cuts = proxy.count();
    // Connections that are open at the last cut may be cut, too.
    now.count = Math.min(Math.ceil((cuts / CUTS) * 5), 5);
    return cuts >= CUTS;
  }, 'the cuts');
  const view = await direct.call('viewSession', { params: { id } });
  const text = `wört${WORDS - 1} 🌊`;
  await page.getByText(text).waitFor();
  await until(async () => (await page.locator('.message[aria-busy=true]').count()) === 0, 'the end of the answer');
  await until(async () => (await page.title()) === '(5) Tenon', 'the number of those who wait');
  const shown = await page.locator('.message').allInnerTexts();
  const [asked, answered] = view.entries.map(({ message }) =>
    textIn((message as { readonly content?: unknown }).content),
  );
  expect(view.total).toBe(3);
  expect(shown).toHaveLength(2);
  expect(shown[0]?.trim()).toBe(asked);
  // All words, once and in order.
  expect(shown[1]?.match(/wört\d+ 🌊/g)).toEqual(answered?.match(/wört\d+ 🌊/g));
  expect(await page.locator('.notice').allInnerTexts()).toEqual([]);
});

test.skipIf(!hasBrowser)(
  'a page comes back to a server that was started again, and loads once what it shows',
  async () => {
    const { now, parts } = waitingRuns();
    const first = await openTalkingRoom(1, parts);
    const page = await openBrowser();
    let connections = 0;
    page.on('response', (response) => {
      if (response.url().includes('/api/follow') && response.status() === 200) connections += 1;
    });
    await page.goto(`${first.origin}/runs#token=${TOKEN}`);
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await until(() => connections === 1, 'the stream');
    await first.close();
    await page.getByText('The server does not answer.').waitFor();
    now.count = 2;
    await openTalkingRoom(1, parts, first.port);
    await until(async () => (await page.title()) === '(2) Tenon', 'the runs of the second server');
    now.count = 3;
    await until(async () => (await page.title()) === '(3) Tenon', 'what comes after that');
    expect(await page.locator('.notice').count()).toBe(0);
    expect(connections).toBe(2);
  },
);

test.skipIf(!hasBrowser)('an answer that was long on its way does not replace what the page knows better', async () => {
  const { now, parts } = waitingRuns();
  now.count = 1;
  const room = await openTalkingRoom(1, parts);
  const page = await openBrowser();
  let asked = 0;
  let release: (() => Promise<void>) | undefined;
  await page.route('**/api/runs', async (route) => {
    asked += 1;
    if (asked > 1) return route.continue();
    const old = await route.fetch();
    release = () => route.fulfill({ response: old });
    now.count = 2;
  });
  await page.goto(`${room.origin}/questions#token=${TOKEN}`);
  // The second run is there by an event, or by a list that was asked for later.
  await page.getByText('otter-1').waitFor();
  await release?.();
  // It stays so: looked at until the page has had the time to take the old answer.
  for (let looks = 0; looks < 20; looks += 1) {
    await until(async () => (await page.title()) === '(2) Tenon', 'both runs');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
});

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('');
}
