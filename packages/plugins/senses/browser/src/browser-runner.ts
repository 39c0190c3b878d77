/** The browsers of all sessions, behind one door: it is loaded with the first call. */
import { documents, type Documents } from '@tenon/documents/api';
import type { Folders } from '@tenon/host';
import type { KernelAccess, Logger } from '@tenon/kernel';
import { sandboxes } from '@tenon/sandbox/api';
import { scopeOf, type Tool, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { webReader, type WebReader } from '@tenon/web-tools/api';
import manifest from '../package.json' with { type: 'json' };
import { BrowserSession } from './browser-session.ts';
import { errors } from './errors.ts';
import type { BrowserSettings } from './generated/settings.ts';
import { makeProfileFolder } from './launch/profile-folder.ts';
import { connectBrowser, startBrowser } from './launch/start-browser.ts';
import { runSteps } from './run-steps.ts';

/** Runs calls. */
export interface BrowserRunner {
  readonly runCall: Tool['execute'];
  /** Ends the browser of a session that is over. */
  endSession(session: string): Promise<void>;
  close(): Promise<void>;
}

/** What actions use beside the browser. */
export interface Helpers {
  readonly folders: Folders;
  documents(): Promise<Documents | undefined>;
  reader(): Promise<WebReader | undefined>;
}

/** What a call works with. */
export interface BrowserAccess extends Helpers {
  readonly settings: BrowserSettings;
  /** The session's browser when it runs. */
  current(): BrowserSession | undefined;
  /** The session's browser, started when there is none. */
  ensure(signal: AbortSignal): Promise<BrowserSession>;
  /** Why the last browser is gone, until somebody is told. */
  takeLost(): string | undefined;
  /** Ends the session's browser. */
  end(reason: string): Promise<void>;
}

interface Entry {
  browser: BrowserSession | undefined;
  starting: Promise<BrowserSession> | undefined;
  lost: string | undefined;
  queue: Promise<unknown>;
}

/** Makes one. No browser is started yet. */
export function createBrowserRunner(parts: {
  readonly kernel: Pick<KernelAccess, 'findOptional'>;
  readonly config: BrowserSettings;
  readonly folders: Folders;
  readonly log: Logger;
}): BrowserRunner {
  const { kernel, config, folders, log } = parts;
  const entries = new Map<string, Entry>();
  let isClosed = false;
  const product = `Tenon/${manifest.version}`;

  const start = async (session: string, cwd: string, signal: AbortSignal): Promise<BrowserSession> => {
    if (isClosed) throw errors.create('BROWSER_CLOSED', { reason: 'the plugin is being unloaded' });
    const folder = await makeProfileFolder(folders, session, config.keepProfile);
    try {
      const box = await kernel.findOptional(sandboxes);
      const started =
        config.cdpUrl === ''
          ? await startBrowser({ settings: config, sandboxes: box, folder, cwd, log, signal })
          : await connectBrowser(config.cdpUrl, signal);
      return await BrowserSession.open(started, folder, config, product);
    } catch (fault) {
      await folder.remove();
      throw fault;
    }
  };

  const end = async (entry: Entry, reason: string): Promise<void> => {
    // One that does not start has told its caller.
    const browser = entry.browser ?? (await entry.starting?.catch(() => undefined));
    entry.browser = undefined;
    await browser?.end(reason);
  };

  const accessFor = (session: string, cwd: string, entry: Entry): BrowserAccess => ({
    settings: config,
    folders,
    documents: () => kernel.findOptional(documents),
    reader: () => kernel.findOptional(webReader),
    current: () => entry.browser,
    async ensure(signal) {
      if (entry.browser) return entry.browser;
      entry.starting = start(session, cwd, signal);
      try {
        entry.browser = await entry.starting;
      } finally {
        entry.starting = undefined;
      }
      if (isClosed || !entries.has(session)) await end(entry, 'its session is over');
      if (!entry.browser) throw errors.create('BROWSER_CLOSED', { reason: 'its session is over' });
      return entry.browser;
    },
    takeLost() {
      const { lost } = entry;
      entry.lost = undefined;
      return lost;
    },
    end: (reason) => end(entry, reason),
  });

  /** One that has crashed is put away before anybody uses it. */
  const clear = async (entry: Entry): Promise<void> => {
    if (entry.browser?.ended === undefined) return;
    entry.lost = entry.browser.ended;
    await end(entry, entry.lost);
  };

  return {
    runCall(input, call: ToolCall): Promise<ToolResult> {
      const { session, cwd } = scopeOf(call, folders);
      const entry = entries.get(session) ?? {
        browser: undefined,
        starting: undefined,
        lost: undefined,
        queue: Promise.resolve(),
      };
      entries.set(session, entry);
      // Calls of one session follow each other: they act on the same pages.
      const turn = entry.queue.then(async () => {
        call.signal.throwIfAborted();
        await clear(entry);
        const result = await runSteps(accessFor(session, cwd, entry), input, call);
        await clear(entry);
        return result;
      });
      entry.queue = turn.catch(() => undefined); // told to whoever made the call
      return turn;
    },
    async endSession(session) {
      const entry = entries.get(session);
      entries.delete(session);
      if (entry) await end(entry, 'its session is over');
    },
    async close() {
      isClosed = true;
      const all = [...entries.values()];
      entries.clear();
      await Promise.all(all.map((entry) => end(entry, 'the plugin is being unloaded')));
    },
  };
}
