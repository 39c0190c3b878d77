/** Starts a browser under its hold, or connects to one that runs. */
import { messageOf, type Logger } from '@tenon/kernel';
import type { Sandboxes } from '@tenon/sandbox/api';
import { plainText } from '@tenon/wording';
import type { BrowserContext } from 'playwright-core';
import { errors } from '../errors.ts';
import type { BrowserSettings } from '../generated/settings.ts';
import { prepareHold } from './confine.ts';
import { type GuardedStart, guardedStart } from './guarded-start.ts';
import type { ProfileFolder } from './profile-folder.ts';
import { findBrowser } from './programs.ts';

/** A browser that runs. */
export interface StartedBrowser {
  readonly context: BrowserContext;
  /** True when it is not ours: only disconnected from, never ended. */
  readonly isForeign: boolean;
  /** What holds it, in words. */
  readonly description: string;
  /** Hosts that were refused since this was asked last. */
  takeRefused(): readonly string[];
  /** Ends it, or leaves it when it is not ours. */
  close(): Promise<void>;
}

/** What starting needs. */
export interface StartParts {
  readonly settings: BrowserSettings;
  readonly sandboxes: Sandboxes | undefined;
  readonly folder: ProfileFolder;
  readonly cwd: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The size of a new page: what models see well, and small as an image. */
const VIEWPORT = { width: 1280, height: 800 };
const START_MS = 60_000;
const CLOSE_MS = 5_000;

/** Starts the browser of the settings. */
export async function startBrowser(parts: StartParts): Promise<StartedBrowser> {
  const { settings, folder, signal } = parts;
  const program = findBrowser(settings.program, process.env);
  const hold = await prepareHold({ ...parts, data: folder.data, env: process.env });
  let guarded: GuardedStart | undefined;
  try {
    const start = await guardedStart(folder.own, [...hold.argv, program]);
    guarded = start;
    const { chromium } = await import('playwright-core');
    signal.throwIfAborted();
    const context = await chromium.launchPersistentContext(folder.profile, {
      executablePath: start.program,
      headless: settings.headless,
      // Inside of ours, the browser's own sandbox cannot start; root may not use it at all.
      chromiumSandbox: !hold.isSandboxed && process.getuid?.() !== 0,
      env: environment({ ...hold.env }, folder),
      args: argumentsFor(hold.proxy),
      viewport: VIEWPORT,
      downloadsPath: folder.downloads,
      artifactsDir: folder.downloads,
      acceptDownloads: true,
      timeout: START_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    return {
      context,
      isForeign: false,
      description: hold.description,
      takeRefused: () => hold.takeRefused(),
      async close() {
        await endContext(context);
        await start.end();
        await hold.dispose();
      },
    };
  } catch (fault) {
    await guarded?.end();
    await hold.dispose();
    signal.throwIfAborted();
    throw errors.create('BROWSER_START', { program, reason: reasonOf(fault) }, fault);
  }
}

/** Connects to the browser of the settings. */
export async function connectBrowser(url: string, signal: AbortSignal): Promise<StartedBrowser> {
  const { chromium } = await import('playwright-core');
  signal.throwIfAborted();
  try {
    const browser = await chromium.connectOverCDP(url, { timeout: START_MS / 2 });
    const context = browser.contexts()[0] ?? (await browser.newContext());
    return {
      context,
      isForeign: true,
      description: `The browser at ${url}: neither sandbox nor host rules hold for it.`,
      takeRefused: () => [],
      close: () => browser.close(),
    };
  } catch (fault) {
    throw errors.create('BROWSER_CONNECT', { url, reason: reasonOf(fault) }, fault);
  }
}

/** A browser that hangs is killed instead. */
async function endContext(context: BrowserContext): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
  // One that has ended already cannot be closed.
  await Promise.race([context.close().catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Everything goes by the proxy: names are resolved there, and nothing is sent beside it. */
function argumentsFor(proxy: string | undefined): string[] {
  return [
    // Without a network the port of nobody.
    `--proxy-server=${proxy ?? 'http://127.0.0.1:9'}`,
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-quic',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--no-pings',
    '--disk-cache-size=52428800',
  ];
}

/** The user's environment without its secrets; a home of its own keeps the browser out of the user's files. */
function environment(
  changes: Readonly<Record<string, string | undefined>>,
  { home }: ProfileFolder,
): Record<string, string> {
  const all = { ...process.env, ...changes, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Playwright's message without the command line and the log around it. */
function reasonOf(fault: unknown): string {
  const lines = plainText(messageOf(fault)).split('\n');
  const errors = lines.filter((line) => /\[err\]/.test(line)).map((line) => line.replace(/^.*\[err\]\s*/, ''));
  return [lines[0] ?? '', ...errors.slice(-3)]
    .join(' ')
    .replace(/[.\s]+$/, '')
    .slice(0, 600);
}
