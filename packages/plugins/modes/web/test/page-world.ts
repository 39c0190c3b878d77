/** The control room in a real browser: the built program, a scripted model, a worker by hand. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { processesWith } from '@tenon/test-kit/processes';
import { later } from '@tenon/test-kit/temporary';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ApiClient } from '../src/api.ts';

/** The browser that tests drive. */
export const CHROMIUM = '/usr/bin/chromium';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PATIENCE = 60_000;

/** Whether there is a browser to test with. */
export const hasBrowser = existsSync(CHROMIUM);

/** A worker: what it does depends on the words of its task. */
const HAND = `#!/bin/sh
case "$*" in
  *"make a file"*) echo made >made.txt ;;
  *"count on"*)
    for number in $(seq 200); do echo "line $number"; done
    until [ -e go-on ]; do sleep 0.1; done
    for number in $(seq 201 400); do echo "line $number"; done
    ;;
  *"ask me"*)
    case "$*" in *SQLite*) ;; *)
      printf 'A question.\\n\`\`\`signal\\n%s\\n\`\`\`\\n' '{"session": 1, "status": "questions", "questions": [{"id": "db", "text": "Which database?", "options": ["SQLite"]}]}'
      exit ;;
    esac
    ;;
esac
echo "heard: $*"
`;

/** All that these tests work with. */
export interface PageWorld {
  readonly shop: Workshop;
  readonly client: ApiClient;
  readonly context: BrowserContext;
  readonly url: string;
  /** A window without anything in it. Each holds a connection of the six that the browser has, so it goes with its test, also with one that fails. */
  window(): Promise<Page>;
  /** A page of the control room. */
  open(path: string): Promise<Page>;
  /** Starts a second control room of the same user. */
  another(): Promise<{ readonly client: ApiClient; readonly server: ChildProcess }>;
  close(): Promise<void>;
}

/** Opens all of it once: servers and browsers take their time. */
export async function openPageWorld(): Promise<PageWorld> {
  const shop = await openWorkshop();
  const program = join(shop.home.folder, 'bin/hand');
  shop.home.put('bin/hand', HAND);
  chmodSync(program, 0o755);
  const hand = {
    program,
    args: ['{prompt}'],
    output: 'text',
    versionArgs: ['--version'],
    env: { HAND: 'hidden-word' },
  };
  const settings = JSON.parse(readFileSync(shop.home.settings, 'utf8')) as object;
  const more = { models: { roles: { default: 'fake/m' } }, workers: { custom: { hand } } };
  writeFileSync(shop.home.settings, JSON.stringify({ ...settings, ...more }));
  const servers: ChildProcess[] = [];
  const start = async () => {
    const server = shop.home.start(['web', '--port', '0', '--json'], {
      env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    servers.push(server);
    let said = '';
    server.stdout?.on('data', (part: Buffer) => (said += part.toString()));
    await until(() => said.trim().endsWith('}'));
    const room = JSON.parse(said) as { readonly url: string; readonly token: string; readonly link: string };
    return { room, server, client: new ApiClient({ base: room.url, token: room.token }) };
  };
  const [{ room, client }, browser]: [Awaited<ReturnType<typeof start>>, Browser] = await Promise.all([
    start(),
    chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] }),
  ]);
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 } });
  context.setDefaultTimeout(patientLimit(PATIENCE));
  let isLetIn = false;
  const openWindow = async () => {
    const page = await context.newPage();
    later(() => page.close());
    return page;
  };
  return {
    shop,
    client,
    context,
    url: room.url,
    another: start,
    window: openWindow,
    async open(path) {
      const page = await openWindow();
      if (!isLetIn) await page.goto(room.link);
      isLetIn = true;
      await page.goto(`${room.url}${path}`);
      await page.getByRole('navigation').waitFor();
      return page;
    },
    async close() {
      await browser.close();
      for (const server of servers) server.kill('SIGINT');
      await until(() => processesWith(shop.home.folder).length === 0);
      await shop.close();
    },
  };
}

/** What axe finds wrong on a page. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  // The page's policy lets nothing in; the browser's own door does.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async () => {
    interface Violation {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}
