/** What a page waits for when a session is opened. */
import { inCheckout } from '@tenon/test-kit/plugins';
import { later } from '@tenon/test-kit/temporary';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { ApiClient } from '../src/api.ts';
import { pageFiles } from '../src/server/page-files.ts';
import { CHROMIUM, hasBrowser } from './page-world.ts';
import { openTalkingRoom, TOKEN } from './talking-room.ts';

test.skipIf(!hasBrowser)('an agent that is there can be talked to, however long its stored messages take', async () => {
  const room = await openTalkingRoom(3, { page: pageFiles(inCheckout('packages', 'cli', 'dist', 'web-page')) });
  const { id } = await new ApiClient({ base: room.origin, token: TOKEN }).call('openSession', { body: {} });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  later(() => browser.close());
  const page = await browser.newPage();
  let asked = 0;
  // Never answered, as when all connections of the browser are taken.
  await page.route('**/entries?*', () => void (asked += 1));
  await page.goto(`${room.origin}/sessions/${id}#token=${TOKEN}`);
  await page.getByLabel('Message to the agent').fill('go');
  await page.keyboard.press('Enter');
  await page.getByText('wört2 🌊').waitFor();
  expect(asked).toBe(1);
});
