/** Actions on elements. */
import { copyFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { resolvePath } from '@tenon/tools/api';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { Tab } from '../tab.ts';
import { orElse, within } from '../within.ts';
import { limits, needed, place, type StepContext, type StepResult, type TabAction } from './action.ts';
import { find, needElement } from './elements.ts';

/** How long the page gets to react before the answer is given: enough for a navigation to begin. */
const REACT_MS = 150;
const LOAD_MS = 3_000;
const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

const act =
  (
    verb: string,
    work: (found: Awaited<ReturnType<typeof needElement>>, context: StepContext) => Promise<string | void>,
  ): TabAction =>
  async (tab, context) => {
    const found = await needElement(tab, context);
    const more = await work(found, context);
    return after(tab, context, `${verb} ${found.label}${found.note}${more ?? ''}`);
  };

/** Clicks. */
export const click = act('Clicked', ({ element }, context) => element.click(limits(context)));
/** Moves the mouse over it. */
export const hover = act('Moved over', ({ element }, context) => element.hover(limits(context)));

/** Replaces what a field holds. */
export const fill = act('Filled', async ({ element }, context) => {
  await element.fill(context.step.text ?? '', limits(context));
  if (context.step.submit) await element.press('Enter', limits(context));
});

/** Types key by key. */
export const type = act('Typed into', async ({ element }, context) => {
  await element.pressSequentially(needed(context.step, 'text'), limits(context));
  if (context.step.submit) await element.press('Enter', limits(context));
});

/** Chooses options of a list. */
export const select = act('Selected in', async ({ element }, context) => {
  const chosen = await element.selectOption([...needed(context.step, 'values')], limits(context));
  return `: ${JSON.stringify(chosen)}`;
});

/** Presses a key, on an element or wherever the focus is. */
export const press: TabAction = async (tab, context) => {
  const key = needed(context.step, 'key');
  const found = await find(tab, context, context.step);
  await (found ? found.element.press(key, limits(context)) : within(tab.page.keyboard.press(key), context.signal));
  return after(tab, context, `Pressed ${JSON.stringify(key)}${found ? ` on ${found.label}` : ''}`);
};

/** Drags one element to another. */
export const drag: TabAction = async (tab, context) => {
  const { to_id: id, to_selector: selector, action } = context.step;
  const from = await needElement(tab, context);
  const to = await find(tab, context, { id, selector });
  if (!to) throw errors.create('BROWSER_INPUT', { action, problem: 'needs to_id or to_selector' });
  await from.element.dragTo(to.element, limits(context));
  return after(tab, context, `Dragged ${from.label} to ${to.label}`);
};

/** Scrolls an element, or the page by the mouse's wheel. */
export const scroll: TabAction = async (tab, context) => {
  const { dx = 0, dy = 0 } = context.step;
  const found = await find(tab, context, context.step);
  if (found) {
    if (dx === 0 && dy === 0) await found.element.scrollIntoViewIfNeeded(limits(context));
    else
      await found.element.evaluate(
        (element: { scrollBy(x: number, y: number): void }, [x, y]) => element.scrollBy(x, y),
        [dx, dy] as const,
        limits(context),
      );
  } else {
    const { width, height } = tab.page.viewportSize() ?? { width: 100, height: 100 };
    await within(tab.page.mouse.move(width / 2, height / 2), context.signal);
    await within(tab.page.mouse.wheel(dx, dy), context.signal);
  }
  await new Promise((resolve) => setTimeout(resolve, REACT_MS));
  const at = await orElse(
    tab.page.evaluate<string>('`${Math.round(scrollX)},${Math.round(scrollY)}`'),
    1_000,
    'unknown',
  );
  return after(tab, context, `Scrolled${found ? ` ${found.label}` : ''}; the page is at ${String(at).slice(0, 30)}`);
};

/** Gives files to a file input. They are copied: the browser sees nothing else of the workspace. */
export const upload: TabAction = async (tab, context) => {
  const found = await needElement(tab, context);
  const { cwd, browser } = context;
  const folder = join(browser.folder.uploads, randomBytes(4).toString('hex'));
  await mkdir(folder, { mode: 0o700 });
  const copies: string[] = [];
  for (const text of needed(context.step, 'files')) {
    const path = resolvePath(cwd, text);
    const copy = join(folder, basename(path));
    try {
      const stats = await stat(path);
      if (!stats.isFile()) throw new Error('it is not a file');
      if (stats.size > MAX_UPLOAD_BYTES) throw new Error('it is larger than 100 MB');
      await copyFile(path, copy);
    } catch (fault) {
      throw errors.create('BROWSER_FILE', { path: text, reason: messageOf(fault) }, fault);
    }
    copies.push(copy);
  }
  await found.element.setInputFiles(copies, limits(context));
  return after(tab, context, `Gave ${copies.map((copy) => basename(copy)).join(', ')} to ${found.label}`);
};

/** Lets the page react, and says where it is then. */
async function after(tab: Tab, { signal }: StepContext, done: string): Promise<StepResult> {
  await within(new Promise((resolve) => setTimeout(resolve, REACT_MS)), signal);
  // A page that loads for ever is no failure of the click.
  if (tab.isOpen) await orElse(tab.page.waitForLoadState('domcontentloaded', { timeout: LOAD_MS }), LOAD_MS, undefined);
  const where = tab.isOpen ? `Tab "${tab.name}" is at ${await place(tab)}` : `The tab "${tab.name}" is closed`;
  return { text: `${done}. ${where}`, details: { url: tab.isOpen ? tab.address : '' } };
}
