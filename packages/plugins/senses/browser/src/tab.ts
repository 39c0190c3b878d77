/** One tab: a page by name, what happened on it, and ways to get it back when it hangs. */
import type { CDPSession, Page } from 'playwright-core';
import { cutText, plainLine } from '@tenon/wording';
import type { KnownElement } from './actions/large-page.ts';
import { PageLog } from './page-log.ts';
import { orElse } from './within.ts';

/** A page that opens more dialogs than this during one call does so without end. */
export const MAX_DIALOGS = 25;
/** Long enough for a browser on a busy machine; a page that hangs is waited for this long. */
const ANSWER_MS = 5_000;
/** A page that is not busy answers sooner. */
const SOON_MS = 500;

/** What is done with dialogs. */
export type DialogPolicy = 'accept' | 'dismiss';

/** A tab. */
export class Tab {
  readonly name: string;
  readonly page: Page;
  readonly log: PageLog;
  /** Elements of a large page by the ids of the last observe. */
  readonly known = new Map<string, KnownElement>();
  dialogPolicy: DialogPolicy = 'dismiss';
  /** Dialogs since the call began. */
  dialogsInCall = 0;
  /** Why it was closed, when it was not asked to. */
  lost: string | undefined;
  readonly #cdp: Promise<CDPSession | undefined>;

  constructor(name: string, page: Page, userAgent: string | undefined) {
    this.name = name;
    this.page = page;
    this.log = new PageLog(page);
    this.#cdp = this.#prepare(userAgent);
    page.on('crash', () => {
      this.lost ??= 'its page crashed';
      // It cannot be used any more, and closing fails when the browser itself has crashed.
      void page.close().catch(() => undefined);
    });
    page.on('dialog', (dialog) => {
      this.dialogsInCall++;
      const isTooMany = this.dialogsInCall > MAX_DIALOGS;
      // Who leaves a page has decided so.
      const answer =
        dialog.type() === 'beforeunload' || (this.dialogPolicy === 'accept' && !isTooMany) ? 'accept' : 'dismiss';
      this.log.addDialog(dialog, `${answer}ed`);
      // The page may be gone before its dialog is answered.
      dialog[answer]().catch(() => undefined);
      if (isTooMany && this.lost === undefined) {
        this.lost = 'dialogs';
        void this.close();
      }
    });
  }

  /** Ready to be sent somewhere. */
  async ready(): Promise<void> {
    await this.#cdp;
  }

  get isOpen(): boolean {
    return !this.page.isClosed();
  }

  /** Where its page is; a page may give itself an address of any length. */
  get address(): string {
    return cutText(plainLine(this.page.url()), 500);
  }

  /** The page's title on one line; empty when the page does not answer. */
  async title(): Promise<string> {
    return cutText(
      plainLine(
        String(await orElse(this.page.evaluate<unknown>('String(document.title).slice(0, 300)'), ANSWER_MS, '')),
      ),
      200,
    );
  }

  /** Sends a page away that goes elsewhere by itself. */
  async clear(): Promise<void> {
    // It may win once more; then it is sent away again.
    await orElse(this.page.goto('about:blank', { timeout: ANSWER_MS }), ANSWER_MS, undefined);
  }

  /** Pixels of the device for each pixel of the page. */
  async scale(width: number, height: number, deviceScaleFactor: number): Promise<void> {
    const cdp = await this.#cdp;
    const metrics = { width, height, deviceScaleFactor, mobile: false };
    if (cdp) await orElse(cdp.send('Emulation.setDeviceMetricsOverride', metrics), ANSWER_MS, undefined);
  }

  /** Whether its page answers. One that computes without end is stopped first. */
  async answers(): Promise<boolean> {
    const ask = (milliseconds: number) =>
      orElse(
        this.page.evaluate('1').then(() => true),
        milliseconds,
        false,
      );
    if (await ask(SOON_MS)) return true;
    const cdp = await orElse(this.#cdp, ANSWER_MS, undefined);
    if (!cdp) return false;
    await orElse(cdp.send('Runtime.terminateExecution'), ANSWER_MS, undefined);
    await orElse(cdp.send('Page.stopLoading'), ANSWER_MS, undefined);
    return ask(ANSWER_MS);
  }

  /** Closes it. False when it does not close in time: then only ending the browser helps. */
  async close(): Promise<boolean> {
    if (!this.isOpen) return true;
    await orElse(this.page.close({ runBeforeUnload: false }), ANSWER_MS, undefined);
    if (!this.isOpen) return true;
    // A page that goes elsewhere without end can keep the polite way busy.
    const cdp = await orElse(this.#cdp, ANSWER_MS, undefined);
    if (cdp) {
      await orElse(cdp.send('Page.stopLoading'), ANSWER_MS, undefined);
      // The browser answers first and closes then.
      const closed = this.page.waitForEvent('close', { timeout: 2 * ANSWER_MS });
      await orElse(Promise.allSettled([cdp.send('Page.close'), closed]), 2 * ANSWER_MS, undefined);
    }
    return !this.isOpen;
  }

  /** Servers are told who comes. */
  async #prepare(userAgent: string | undefined): Promise<CDPSession | undefined> {
    // A page that closes at once has no session and needs none.
    const cdp = await this.page
      .context()
      .newCDPSession(this.page)
      .catch(() => undefined);
    if (userAgent !== undefined && cdp)
      await orElse(cdp.send('Emulation.setUserAgentOverride', { userAgent }), ANSWER_MS, undefined);
    return cdp;
  }
}
