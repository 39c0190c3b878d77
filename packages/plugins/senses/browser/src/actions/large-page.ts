/**
 * The elements of a page that is too large for a whole accessibility tree: those that can be used or head something, in the viewport. They
 * have ids of their own; each is found again by its path, and counts as gone when something else is there.
 */
import type { Locator } from 'playwright-core';
import type { Tab } from '../tab.ts';
import { within } from '../within.ts';

/** The tree of a page with more elements takes longer than anybody waits. */
export const LARGE_PAGE = 8_000;
/** The same for the characters of its HTML. */
export const LARGE_TEXT = 4_000_000;
const MAX_ELEMENTS = 300;

/** How an element of a large page is found again. */
export interface KnownElement {
  readonly path: string;
  readonly print: string;
}

/** What is asked of an element in its page. */
interface PageElement {
  readonly tagName: string;
  readonly textContent: string | null;
  readonly outerHTML: string;
  getElementsByTagName(name: string): { readonly length: number };
}

/** What an element is compared by; runs in the page, so it stands alone. */
const printOf = (element: PageElement) => `${element.tagName} ${(element.textContent ?? '').slice(0, 80)}`;

const COLLECT = `(() => {
  const print = ${printOf.toString()};
  const pathOf = (element) => {
    const parts = [];
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      let index = 1;
      for (let before = at.previousElementSibling; before; before = before.previousElementSibling) index++;
      parts.unshift(at.tagName.toLowerCase().replace(/[^a-z0-9-]/g, '\\\\$&') + ':nth-child(' + index + ')');
    }
    return 'html > ' + parts.join(' > ');
  };
  const found = [];
  const all = document.querySelectorAll('a[href], button, input, select, textarea, summary, [role], [onclick], [contenteditable], h1, h2, h3');
  for (const element of all) {
    if (found.length >= ${MAX_ELEMENTS}) break;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || box.right <= 0 || box.bottom <= 0 || box.left >= innerWidth || box.top >= innerHeight) continue;
    const name = element.getAttribute('aria-label') || element.getAttribute('alt') || element.textContent || element.getAttribute('placeholder') || element.getAttribute('title') || '';
    const kinds = { A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', SUMMARY: 'button', H1: 'heading', H2: 'heading', H3: 'heading' };
    const role = element.getAttribute('role') || kinds[element.tagName] || (element.tagName === 'INPUT' ? element.type : element.tagName.toLowerCase());
    found.push({ role: String(role).slice(0, 40), name: String(name).replace(/\\s+/g, ' ').trim().slice(0, 120), path: pathOf(element), print: print(element) });
  }
  return found;
})()`;

/** How many elements there are, on the page or below one of them. */
export async function countElements(tab: Tab, root: Locator | undefined, signal: AbortSignal): Promise<number> {
  const count = root
    ? root.evaluate((element: PageElement) => element.getElementsByTagName('*').length)
    : tab.page.evaluate("document.getElementsByTagName('*').length");
  return Number(await within(count, signal));
}

/** How long the HTML is, of the page or of one of its elements. */
export async function sizeOf(tab: Tab, root: Locator | undefined, signal: AbortSignal): Promise<number> {
  const size = root
    ? root.evaluate((element: PageElement) => element.outerHTML.length)
    : tab.page.evaluate('document.documentElement.outerHTML.length');
  return Number(await within(size, signal));
}

/** The elements in the viewport, one on each line. */
export async function largePage(tab: Tab, signal: AbortSignal): Promise<string> {
  const answer: unknown = await within(tab.page.evaluate(COLLECT), signal);
  tab.known.clear();
  const lines: string[] = [];
  // Written by the page: it may be anything.
  for (const entry of Array.isArray(answer) ? (answer as readonly unknown[]).slice(0, MAX_ELEMENTS) : []) {
    const { role, name, path, print } = { ...(entry as Record<string, unknown>) };
    const id = `n${lines.length + 1}`;
    tab.known.set(id, { path: String(path), print: String(print) });
    lines.push(`- ${String(role)} ${JSON.stringify(String(name))} [ref=${id}]`);
  }
  return lines.join('\n');
}

/** The element of an id; undefined when it is gone. */
export async function knownElement(tab: Tab, id: string, signal: AbortSignal): Promise<Locator | undefined> {
  const known = tab.known.get(id);
  if (known === undefined) return undefined;
  const element = tab.page.locator(`css=${known.path}`);
  if ((await within(element.count(), signal)) !== 1) return undefined;
  const print: unknown = await within(element.evaluate(printOf), signal);
  return print === known.print ? element : undefined;
}
