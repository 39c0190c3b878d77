/** The browser of one session: started on first use, with its tabs by name. */
import type { Page } from 'playwright-core';
import { isPrivateHost } from '@tenon/sandbox/api';
import { isOpenable } from './address.ts';
import { Downloads } from './downloads.ts';
import { errors } from './errors.ts';
import type { BrowserSettings } from './generated/settings.ts';
import type { ProfileFolder } from './launch/profile-folder.ts';
import type { StartedBrowser } from './launch/start-browser.ts';
import { Tab } from './tab.ts';
import { orElse } from './within.ts';

/** The tab that is meant when none is named. */
export const MAIN_TAB = 'main';
const MB = 1024 * 1024;
const ANSWER_MS = 5_000;

/** A browser with its tabs. */
export class BrowserSession {
  readonly folder: ProfileFolder;
  readonly downloads: Downloads;
  readonly settings: BrowserSettings;
  /** Windows that were closed because there were too many. */
  refusedWindows = 0;
  readonly #started: StartedBrowser;
  readonly #tabs = new Map<string, Tab>();
  /** Why tabs are gone, until somebody is told. */
  readonly #lost = new Map<string, string>();
  readonly #storms = new Map<string, number>();
  readonly #refused = new Set<string>();
  readonly #userAgent: string | undefined;
  #isCreating = false;
  #popups = 0;
  #ended: string | undefined;

  private constructor(started: StartedBrowser, folder: ProfileFolder, settings: BrowserSettings, userAgent?: string) {
    this.#started = started;
    this.folder = folder;
    this.settings = settings;
    this.#userAgent = userAgent;
    this.downloads = new Downloads(folder.downloads, settings.maxDownloadMegabytes * MB);
    const { context } = started;
    context.on('close', () => (this.#ended ??= 'it crashed or was closed'));
    context.browser()?.on('disconnected', () => (this.#ended ??= 'it crashed or was closed'));
    context.on('page', (page) => {
      if (!this.#isCreating) this.#adopt(page);
    });
  }

  /** Makes the session of a browser that has just started. `product` is put behind what the browser calls itself. */
  static async open(
    started: StartedBrowser,
    folder: ProfileFolder,
    settings: BrowserSettings,
    product: string,
  ): Promise<BrowserSession> {
    const [first] = started.context.pages();
    const agent =
      first && !started.isForeign ? await orElse(first.evaluate<string>('navigator.userAgent'), ANSWER_MS, '') : '';
    return new BrowserSession(started, folder, settings, agent === '' ? undefined : `${agent} ${product}`);
  }

  /** Why it has ended; undefined while it runs. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** What holds it, in words. */
  get description(): string {
    return this.#started.description;
  }

  /** The tabs that are open. */
  tabs(): readonly Tab[] {
    return [...this.#tabs.values()].filter(({ isOpen }) => isOpen);
  }

  /** An open tab. */
  tab(name: string): Tab {
    const tab = this.#tabs.get(name);
    if (tab?.isOpen) return tab;
    const known = this.tabs().map((open) => open.name);
    throw errors.create('BROWSER_NO_TAB', { name, known: known.length === 0 ? 'none' : known.join(', ') });
  }

  /** The tab of that name, new when there is none. `target` takes a page that a connected browser has already. */
  async openTab(name: string, target?: string): Promise<{ readonly tab: Tab; readonly isNew: boolean }> {
    const known = this.#tabs.get(name);
    if (known?.isOpen && target === undefined) return { tab: known, isNew: false };
    const page = target === undefined ? await this.#newPage() : await this.#findPage(target);
    const tab = this.#register(name, page);
    await tab.ready();
    return { tab, isNew: true };
  }

  /** Notices about what the browser did by itself since this was asked last. */
  takeNotices(): string[] {
    const notices: string[] = [];
    this.noteRefused(this.#started.takeRefused());
    if (this.#refused.size > 0) notices.push(`Refused hosts: ${[...this.#refused].join(', ')}.`);
    this.#refused.clear();
    if (this.refusedWindows > 0) notices.push(`${this.refusedWindows} more windows were opened by pages, and closed.`);
    this.refusedWindows = 0;
    for (const [name, reason] of this.#lost) notices.push(`The tab "${name}" is gone: ${reason}.`);
    this.#lost.clear();
    return notices;
  }

  /** Hosts that were refused since this was asked last. */
  takeRefused(): readonly string[] {
    return this.#started.takeRefused();
  }

  /** Keeps refused hosts for the notices. */
  noteRefused(hosts: readonly string[]): void {
    for (const host of hosts) this.#refused.add(host);
  }

  /** For a browser that no proxy stands before: private hosts must be allowed by name. */
  checkForeign(url: URL): void {
    if (!this.#started.isForeign || !isPrivateHost(url.hostname)) return;
    const allowed = this.settings.allowHosts;
    if (!allowed.includes(url.hostname) && !allowed.includes(url.host))
      throw errors.create('BROWSER_REFUSED', { host: url.host });
  }

  /** How many dialogs the page of a tab opened that was closed because of them. */
  takeDialogStorm(name: string): number | undefined {
    const count = this.#storms.get(name);
    this.#storms.delete(name);
    return count;
  }

  /** A tab whose page went where no page may go is closed. */
  async closeWrongTabs(): Promise<void> {
    for (const tab of this.tabs()) {
      if (isOpenable(tab.page.url(), this.settings)) continue;
      this.#lost.set(tab.name, `its page went to ${new URL(tab.page.url()).protocol}, which is not opened`);
      await tab.close();
    }
  }

  /** Closes a tab, or ends the browser when the tab does not close. */
  async closeTab(tab: Tab): Promise<void> {
    this.#tabs.delete(tab.name);
    if (!(await tab.close())) await this.end(`the tab "${tab.name}" did not close`);
  }

  /** Ends the browser and removes its files. */
  async end(reason: string): Promise<void> {
    this.#ended ??= reason;
    this.downloads.close();
    await this.#started.close();
    await this.folder.remove();
  }

  async #newPage(): Promise<Page> {
    const { context, isForeign } = this.#started;
    const blank = context.pages().find((page) => page.url() === 'about:blank' && !this.#isRegistered(page));
    if (blank && !isForeign) return blank;
    const { maxTabs } = this.settings;
    if (this.tabs().length >= maxTabs) throw errors.create('BROWSER_TABS_FULL', { count: maxTabs });
    this.#isCreating = true;
    try {
      return await context.newPage();
    } finally {
      this.#isCreating = false;
    }
  }

  async #findPage(target: string): Promise<Page> {
    const pages = this.#started.context.pages();
    const wanted = target.toLowerCase();
    const titles: string[] = [];
    for (const page of pages) {
      const title = await orElse(page.title(), ANSWER_MS, '');
      if (`${page.url()}\n${title}`.toLowerCase().includes(wanted)) return page;
      titles.push(page.url());
    }
    throw errors.create('BROWSER_TARGET', { target, pages: titles.join(', ') || 'none' });
  }

  #isRegistered(page: Page): boolean {
    return [...this.#tabs.values()].some((tab) => tab.page === page);
  }

  /** Windows that pages open become tabs, as long as there is room. */
  #adopt(page: Page): void {
    // Those of the user in their own browser are none of ours.
    if (this.#started.isForeign) return;
    if (this.tabs().length >= this.settings.maxTabs) {
      this.refusedWindows++;
      // It may close itself first.
      void page.close().catch(() => undefined);
      return;
    }
    this.#register(`popup-${++this.#popups}`, page);
  }

  #register(name: string, page: Page): Tab {
    const tab = new Tab(name, page, this.#userAgent);
    this.#tabs.set(name, tab);
    page.on('download', (download) => this.downloads.add(download));
    page.on('close', () => {
      if (this.#tabs.get(name) !== tab) return;
      this.#tabs.delete(name);
      if (tab.lost === 'dialogs') this.#storms.set(name, tab.dialogsInCall);
      else if (tab.lost !== undefined) this.#lost.set(name, tab.lost);
    });
    return tab;
  }
}
