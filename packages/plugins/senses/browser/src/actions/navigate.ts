/** Tabs and where they are. */
import type { Response } from 'playwright-core';
import { messageOf } from '@tenon/kernel';
import { parseAddress } from '../address.ts';
import { MAIN_TAB, type BrowserSession } from '../browser-session.ts';
import { errors } from '../errors.ts';
import type { WaitUntil } from '../steps.ts';
import type { Tab } from '../tab.ts';
import { GONE, limits, needed, place, type StepContext, type StepResult, type TabAction } from './action.ts';

/** Puppeteer's names mean the same here. */
function waitFor(wanted: WaitUntil | undefined): 'load' | 'domcontentloaded' | 'networkidle' | 'commit' {
  if (wanted === undefined) return 'load';
  return wanted === 'networkidle0' || wanted === 'networkidle2' ? 'networkidle' : wanted;
}

/** How often a page that goes elsewhere by itself is sent away before its tab is closed instead. */
const MAX_TRIES = 2;
const INTERRUPTED = /interrupted by another navigation/;

/** Opens a tab or takes the one of that name. */
export async function open(context: StepContext): Promise<StepResult> {
  const { step, browser } = context;
  // A wrong address must not leave a tab behind.
  const url = step.url === undefined ? undefined : parseAddress(step.url, browser.settings);
  return anew(context, async () => {
    const { tab, isNew } = await browser.openTab(step.name ?? MAIN_TAB, step.target);
    if (step.dialogs !== undefined) tab.dialogPolicy = step.dialogs;
    if (step.viewport !== undefined) await resize(tab, step.viewport);
    const went = url && (await visit(tab, url, context));
    return {
      text: `${isNew ? 'Opened' : 'Reused'} tab "${tab.name}": ${await place(tab)}${went ?? ''}`,
      details: { ...(await facts(tab)), browser: browser.description, isNew },
    };
  });
}

/** The page that a tab still has may crash just then, or go elsewhere without end; that must not keep the next one from being opened. */
async function anew(context: StepContext, work: () => Promise<StepResult>): Promise<StepResult> {
  const { browser, step } = context;
  const known = browser.tabs().find(({ name }) => name === (step.name ?? MAIN_TAB));
  try {
    return await work();
  } catch (fault) {
    const isOfOldPage =
      GONE.test(messageOf(fault)) || (INTERRUPTED.test(messageOf(fault)) && step.target === undefined);
    if (!known || browser.ended !== undefined || !isOfOldPage) throw fault;
    await browser.closeTab(known);
    return work();
  }
}

/** Sends a tab to an address. */
export async function goto(context: StepContext): Promise<StepResult> {
  const { step, browser } = context;
  const url = parseAddress(needed(step, 'url'), browser.settings);
  return anew(context, async () => {
    const { tab } = await browser.openTab(step.name ?? MAIN_TAB);
    const went = await visit(tab, url, context);
    return { text: `Tab "${tab.name}" is at ${await place(tab)}${went}`, details: await facts(tab) };
  });
}

const history =
  (move: (tab: Tab, context: StepContext) => Promise<Response | null>): TabAction =>
  async (tab, context) => {
    const response = await guarded(tab, context, () => move(tab, context));
    return { text: `Tab "${tab.name}" is at ${await place(tab)}${status(response)}`, details: await facts(tab) };
  };

/** One page back. */
export const back = history((tab, context) => tab.page.goBack(options(context)));
/** One page forward. */
export const forward = history((tab, context) => tab.page.goForward(options(context)));
/** The same page again. */
export const reload = history((tab, context) => tab.page.reload(options(context)));

/** The tabs there are. */
export async function tabs(browser: BrowserSession | undefined): Promise<StepResult> {
  const open = browser?.tabs() ?? [];
  if (open.length === 0) return { text: 'No tabs are open.', details: { tabs: [] } };
  const lines = await Promise.all(open.map(async (tab) => `- ${tab.name}: ${await place(tab)}`));
  return {
    text: `${open.length} open:`,
    page: lines.join('\n'),
    details: { tabs: open.map((tab) => ({ name: tab.name, url: tab.address })) },
  };
}

async function visit(tab: Tab, url: URL, context: StepContext): Promise<string> {
  context.browser.checkForeign(url);
  const go = async (tries = MAX_TRIES): Promise<Response | null> => {
    try {
      return await tab.page.goto(url.href, options(context));
    } catch (fault) {
      if (tries === 0 || !INTERRUPTED.test(messageOf(fault))) throw fault;
      await tab.clear();
      return go(tries - 1);
    }
  };
  return status(await guarded(tab, context, () => go(), url));
}

function options(context: StepContext) {
  return { ...limits(context), waitUntil: waitFor(context.step.wait_until) };
}

/** Says why a page did not come: hosts that the proxy refused look like failures of the network to the browser. */
async function guarded(
  tab: Tab,
  { browser }: StepContext,
  move: () => Promise<Response | null>,
  url?: URL,
): Promise<Response | null | 'download'> {
  browser.takeRefused();
  const check = (...addresses: (string | undefined)[]) => {
    const refused = browser.takeRefused();
    const wanted = addresses.flatMap((href) =>
      href !== undefined && URL.canParse(href) ? [hostOf(new URL(href))] : [],
    );
    const host = refused.find((entry) => wanted.includes(entry));
    if (host !== undefined) throw errors.create('BROWSER_REFUSED', { host });
    return refused;
  };
  const before = browser.downloads.count;
  try {
    const response = await move();
    browser.noteRefused(check(url?.href, tab.page.url()));
    return response;
  } catch (fault) {
    // The tab is still where it was, so only the address that was asked for counts.
    const refused = check(url?.href);
    const message = messageOf(fault);
    if (/Download is starting/.test(message) || browser.downloads.count > before) return 'download';
    const [, reason] = /(net::ERR_\w+)/.exec(message) ?? [];
    if (reason === undefined) throw fault;
    // A redirect that was refused leaves no address behind.
    if (refused[0] !== undefined && reason === 'net::ERR_TUNNEL_CONNECTION_FAILED')
      throw errors.create('BROWSER_REFUSED', { host: refused[0] });
    throw errors.create('BROWSER_UNREACHABLE', { url: url?.href ?? tab.page.url(), reason }, fault);
  }
}

function hostOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function status(response: Response | null | 'download'): string {
  if (response === 'download') return '\nThe address is a download; see action "downloads".';
  return response === null ? '' : ` (${response.status()})`;
}

async function resize(tab: Tab, { width, height, scale }: NonNullable<StepContext['step']['viewport']>): Promise<void> {
  await tab.page.setViewportSize({ width, height });
  if (scale !== undefined) await tab.scale(width, height, scale);
}

async function facts(tab: Tab): Promise<Record<string, unknown>> {
  return { name: tab.name, url: tab.address, title: await tab.title(), viewport: tab.page.viewportSize() };
}
