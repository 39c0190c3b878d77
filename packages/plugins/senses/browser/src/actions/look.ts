/** Actions that look at a page. */
import { messageOf } from '@tenon/kernel';
import { byteText, countText } from '@tenon/wording';
import { Script } from 'node:vm';
import { errors } from '../errors.ts';
import type { Tab } from '../tab.ts';
import { within } from '../within.ts';
import { GONE, limits, needed, place, quoted, type StepContext, type TabAction } from './action.ts';
import { find, type Found, needElement, selectorOf } from './elements.ts';
import { countElements, LARGE_PAGE, LARGE_TEXT, largePage, sizeOf } from './large-page.ts';
import { onlyVisible, withoutBoxes } from './snapshot.ts';

/** What a page may hand over; what is shown of it is less. */
const MAX_TEXT = 2_000_000;
const MAX_HTML = 2_000_000;

const VIEW =
  '({ width: innerWidth, height: innerHeight, x: Math.round(scrollX), y: Math.round(scrollY), pageWidth: document.documentElement.scrollWidth, pageHeight: document.documentElement.scrollHeight })';

interface View {
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
  readonly pageWidth: number;
  readonly pageHeight: number;
}

/** The accessibility tree with ids. */
export const observe: TabAction = async (tab, context) => {
  const found = await find(tab, context, context.step);
  const count = await countElements(tab, found?.element, context.signal);
  const isLarge = count > LARGE_PAGE || (await sizeOf(tab, found?.element, context.signal)) > LARGE_TEXT;
  const view = await viewOf(tab, context);
  const tree = isLarge ? await largePage(tab, context.signal) : await treeOf(tab, context, found, view);
  const note = isLarge
    ? `\nThe page is large, it has ${countText(count)} elements: only those in the viewport are listed. Scroll, or observe a selector.`
    : '';
  return {
    text: `Tab "${tab.name}" is at ${await place(tab)}\nViewport ${view.width}x${view.height}, scrolled to ${view.x},${view.y} of ${view.pageWidth}x${view.pageHeight}${note}`,
    page: tree.trim() === '' ? '(nothing)' : tree,
    details: { url: tab.address, view, elements: count },
  };
};

async function treeOf(tab: Tab, context: StepContext, found: Found | undefined, view: View): Promise<string> {
  const isPart = context.step.visible === true;
  const options = { ...limits(context), mode: 'ai', boxes: isPart } as const;
  const snapshot = found ? await found.element.ariaSnapshot(options) : await tab.page.ariaSnapshot(options);
  return isPart ? onlyVisible(snapshot, view) : withoutBoxes(snapshot);
}

/** The article as Markdown. */
export const extract: TabAction = async (tab, context) => {
  const { signal, access } = context;
  const html = await within(
    tab.page.evaluate<string>(`document.documentElement.outerHTML.slice(0, ${MAX_HTML})`),
    signal,
  );
  const reader = await access.reader();
  if (!reader) return getText(tab, context);
  const { markdown, title, isArticle } = await reader.readable(String(html), tab.page.url(), signal);
  const kind = isArticle ? 'the article' : 'all of the page, as no article was found';
  return { text: `${await place(tab)}: ${kind}`, page: markdown, details: { url: tab.address, title, isArticle } };
};

/** The text as it is shown. */
export const getText: TabAction = async (tab, context) => {
  const found = await find(tab, context, context.step);
  const element = found?.element ?? tab.page.locator('body');
  // Cut in the page: a text of any length must not come here.
  const text = await element.evaluate(
    ({ innerText, textContent }: { innerText?: string; textContent: string | null }, max) =>
      String(innerText ?? textContent ?? '').slice(0, max),
    MAX_TEXT,
    limits(context),
  );
  return { text: `Text of ${found?.label ?? 'the page'}${found?.note ?? ''}:`, page: String(text) };
};

/** The HTML. */
export const getHtml: TabAction = async (tab, context) => {
  const found = await find(tab, context, context.step);
  const element = found?.element ?? tab.page.locator('html');
  const html = await element.evaluate(
    ({ outerHTML }: { outerHTML: string }, max) => outerHTML.slice(0, max),
    MAX_TEXT,
    limits(context),
  );
  return { text: `HTML of ${found?.label ?? 'the page'}${found?.note ?? ''}:`, page: String(html) };
};

/** One attribute. */
export const getAttribute: TabAction = async (tab, context) => {
  const name = needed(context.step, 'attribute');
  const { element, label, note } = await needElement(tab, context);
  const value: unknown = await element.evaluate(
    (found: { getAttribute(name: string): string | null }, [wanted, max]) =>
      found.getAttribute(wanted)?.slice(0, max) ?? null,
    [name, MAX_TEXT] as const,
    limits(context),
  );
  if (value === null) return { text: `${label}${note} has no attribute ${JSON.stringify(name)}.` };
  return { text: `Attribute ${JSON.stringify(name)} of ${label}${note}:`, page: String(value) };
};

/** Runs code in the page. */
export const run: TabAction = async (tab, context) => {
  const code = needed(context.step, 'code');
  const body = isExpression(code) ? `return (${code}\n);` : code;
  // The result is made a text in the page, so that a huge one never leaves it.
  const source = `(async () => { ${body}\n})().then((value) => {
    if (value === undefined) return null;
    let text;
    try { text = typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? String(value); } catch (fault) { text = String(value); }
    return text.slice(0, ${MAX_TEXT});
  })`;
  const result = await within(tab.page.evaluate<unknown>(source), context.signal).catch((fault: unknown) => {
    const isGone = !tab.isOpen || context.browser.ended !== undefined || GONE.test(messageOf(fault));
    if (context.signal.aborted || isGone) throw fault;
    const reason = messageOf(fault)
      .replace(/^page\.evaluate: /, '')
      .split('\n')
      .slice(0, 3)
      .join(' ');
    throw errors.create('BROWSER_SCRIPT', { reason: quoted(reason) }, fault);
  });
  if (result === null) return { text: 'The code ran and returned nothing.' };
  return { text: 'The code returned:', page: String(result) };
};

/** Waits for an element, a text or an address. */
export const waitFor: TabAction = async (tab, context) => {
  const { selector, id, text, url, state = 'visible' } = context.step;
  if (url !== undefined) {
    await tab.page.waitForURL(({ href }) => href.includes(url), { ...limits(context), waitUntil: 'commit' });
    return { text: `Tab "${tab.name}" is at ${await place(tab)}` };
  }
  const element =
    id === undefined
      ? selector !== undefined
        ? tab.page.locator(selectorOf(selector)).first()
        : tab.page.getByText(needed(context.step, 'text')).first()
      : (await needElement(tab, context)).element;
  await element.waitFor({ state, ...limits(context) });
  return { text: `${JSON.stringify(selector ?? text ?? id)} is ${state}. Tab "${tab.name}" is at ${await place(tab)}` };
};

const LINES = 50;

/** The page's console. */
export const showConsole: TabAction = async (tab, { step }) => {
  const lines = tab.log.console.list().map(({ level, text }) => `[${level}] ${text}`);
  return listing(`console messages of tab "${tab.name}"`, lines, tab.log.console.total, step);
};

/** The page's requests. */
export const showNetwork: TabAction = async (tab, { step }) => {
  const lines = tab.log.requests.list().map(({ method, url, type, outcome, durationMs }) => {
    const time = durationMs === undefined ? '' : ` ${durationMs}ms`;
    return `${outcome} ${method} ${url} (${type}${time})`;
  });
  return listing(`requests of tab "${tab.name}"`, lines, tab.log.requests.total, step);
};

function listing(
  what: string,
  lines: readonly string[],
  total: number,
  { filter, limit = LINES }: { readonly filter?: string | undefined; readonly limit?: number | undefined },
) {
  const fitting =
    filter === undefined ? lines : lines.filter((line) => line.toLowerCase().includes(filter.toLowerCase()));
  const shown = fitting.slice(-limit);
  if (shown.length === 0)
    return { text: `No ${what}${filter === undefined ? '' : ` with ${JSON.stringify(filter)}`}.` };
  return { text: `The last ${shown.length} of ${total} ${what}:`, page: shown.join('\n') };
}

/** What was downloaded, as artifacts. */
export async function showDownloads(context: StepContext, keep: () => Promise<{ path: string; id?: string }>) {
  const entries = await context.browser.downloads.settle(keep, context.signal);
  if (entries.length === 0) return { text: 'Nothing was downloaded.', details: { downloads: [] } };
  const lines = entries.map(({ name, url, state, bytes = 0, place: where, reason }) =>
    state === 'kept'
      ? `- ${JSON.stringify(name)} (${byteText(bytes)}): ${where} from ${url}`
      : `- ${JSON.stringify(name)}: ${state}${reason === undefined ? '' : `, ${reason}`} from ${url}`,
  );
  return {
    text: `${entries.length} downloads:`,
    page: lines.join('\n'),
    details: { downloads: entries.map(({ done: _done, ...entry }) => entry) },
  };
}

async function viewOf(tab: Tab, { signal }: StepContext): Promise<View> {
  const view = await within(tab.page.evaluate<Partial<View>>(VIEW), signal);
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  return {
    width: number(view.width),
    height: number(view.height),
    x: number(view.x),
    y: number(view.y),
    pageWidth: number(view.pageWidth),
    pageHeight: number(view.pageHeight),
  };
}

/** Whether code is one expression. It is only parsed here, never run. */
export function isExpression(code: string): boolean {
  try {
    void new Script(`(async () => (${code}\n))`);
    return true;
  } catch {
    return false; // Statements, or wrong: the page says what is wrong.
  }
}
