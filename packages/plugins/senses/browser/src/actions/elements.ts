/** Finds the elements that actions are about. */
import type { Locator } from 'playwright-core';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { Tab } from '../tab.ts';
import { within } from '../within.ts';
import type { StepContext } from './action.ts';
import { knownElement } from './large-page.ts';

/** How long an element may take to appear when nobody asked to wait for it. */
const APPEAR_MS = 5_000;

/** An element and what it was called. */
export interface Found {
  readonly element: Locator;
  readonly label: string;
  /** For the answer: when more than one matched. */
  readonly note: string;
}

/** The element of an id or selector; undefined when neither is given. */
export async function find(
  tab: Tab,
  context: StepContext,
  { id, selector }: { readonly id?: string | number | undefined; readonly selector?: string | undefined },
): Promise<Found | undefined> {
  const { signal } = context;
  if (id !== undefined) {
    const ref = refOf(id);
    if (/^n\d+$/.test(ref)) {
      const known = await knownElement(tab, ref, signal);
      if (!known) throw errors.create('BROWSER_STALE', { id: ref });
      return { element: known, label: ref, note: '' };
    }
    const element = tab.page.getByRef(ref);
    const count = /^(?:f\d+)?e\d+$/.test(ref) ? await within(element.count(), signal) : 0;
    if (count === 0) throw errors.create('BROWSER_STALE', { id: ref });
    return { element, label: ref, note: '' };
  }
  if (selector === undefined || selector.trim() === '') return undefined;
  const all = tab.page.locator(selectorOf(selector));
  const element = all.first();
  try {
    await element.waitFor({ state: 'attached', timeout: Math.min(APPEAR_MS, context.remaining()), signal });
  } catch (fault) {
    if (/Timeout .* exceeded/.test(messageOf(fault)) && !signal.aborted)
      throw errors.create('BROWSER_NO_ELEMENT', { selector: JSON.stringify(selector) }, fault);
    throw fault;
  }
  const count = await within(all.count(), signal);
  return { element, label: JSON.stringify(selector), note: count > 1 ? ` (the first of ${count} that match)` : '' };
}

/** The same, where one must be given. */
export async function needElement(tab: Tab, context: StepContext): Promise<Found> {
  const { step } = context;
  const found = await find(tab, context, step);
  if (!found) throw errors.create('BROWSER_INPUT', { action: step.action, problem: 'needs id or selector' });
  return found;
}

/** `5`, `e5`, `[ref=e5]` and `ref=e5` mean the same. */
export function refOf(id: string | number): string {
  const text = String(id)
    .trim()
    .replace(/^\[?(?:ref=)?|\]$/g, '');
  return /^\d+$/.test(text) ? `e${text}` : text;
}

/** Puppeteer's spellings beside Playwright's own. */
export function selectorOf(text: string): string {
  const [, kind, rest = ''] = /^(?:p-)?(text|xpath|pierce|css)\/(.*)$/s.exec(text.trim()) ?? [];
  if (kind === undefined) return text.trim();
  return kind === 'pierce' || kind === 'css' ? `css=${rest}` : `${kind}=${rest}`;
}
