/** Runs the steps of a call one after the other, within its time, and says how each ended. */
import { messageOf, TenonError } from '@tenon/kernel';
import { scopeOf, spillFile, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { counted, plainText } from '@tenon/wording';
import { GONE, quoted, type StepContext, type StepResult, type TabAction } from './actions/action.ts';
import * as interact from './actions/interact.ts';
import * as look from './actions/look.ts';
import * as navigate from './actions/navigate.ts';
import { screenshot } from './actions/screenshot.ts';
import type { BrowserAccess } from './browser-runner.ts';
import { type BrowserSession, MAIN_TAB } from './browser-session.ts';
import { errors } from './errors.ts';
import { present } from './present.ts';
import { type Action, type Step, stepsOf } from './steps.ts';
import type { Tab } from './tab.ts';
import { within } from './within.ts';

const [MIN_SECONDS, MAX_SECONDS] = [1, 120];

/** Actions on a tab that must be open. */
const ON_TAB: Partial<Record<Action, TabAction>> = {
  back: navigate.back,
  forward: navigate.forward,
  reload: navigate.reload,
  observe: look.observe,
  click: interact.click,
  hover: interact.hover,
  type: interact.type,
  fill: interact.fill,
  press: interact.press,
  select: interact.select,
  upload: interact.upload,
  drag: interact.drag,
  scroll: interact.scroll,
  extract: look.extract,
  get_text: look.getText,
  get_html: look.getHtml,
  get_attribute: look.getAttribute,
  screenshot,
  run: look.run,
  wait_for: look.waitFor,
  console: look.showConsole,
  network: look.showNetwork,
};

/** Runs a call. */
export async function runSteps(
  access: BrowserAccess,
  input: Readonly<Record<string, unknown>>,
  call: ToolCall,
): Promise<ToolResult> {
  const steps = stepsOf(input);
  const seconds = secondsOf(input['timeout'], access.settings.timeoutSeconds);
  const time = { seconds, endsAt: Date.now() + seconds * 1000, limit: AbortSignal.timeout(seconds * 1000) };
  const scope = scopeOf(call, access.folders);
  const lost = access.takeLost();
  const before = beginCall(access.current());
  const results: StepResult[] = [];
  let failure: TenonError | undefined;
  for (const step of steps) {
    try {
      results.push(await runStep(access, step, call, scope.cwd, time));
    } catch (fault) {
      failure = await explain(access, step, fault, call, time);
      const words = [failure.message, failure.next].filter(Boolean).join(' ');
      const rest = steps.length - results.length - 1;
      results.push({ text: rest > 0 ? `${words} (${counted(rest, 'more step')} not run)` : words });
      break;
    }
  }
  const notices = [
    ...(lost === undefined ? [] : [`The last browser has ended: ${lost}. Its tabs and logins are gone.`]),
    ...(await noticesOf(access.current(), before)),
  ];
  return {
    content: await present(results, notices, scope, access.folders.state),
    details: {
      steps: results.map(({ details = {} }, index) => ({ action: steps[index]?.action, ...details })),
      ...(failure && { error: { code: failure.code } }),
    },
    ...(failure && { isError: true }),
  };
}

interface CallTime {
  readonly seconds: number;
  readonly endsAt: number;
  readonly limit: AbortSignal;
}

function secondsOf(wanted: unknown, standard: number): number {
  return typeof wanted === 'number' && Number.isFinite(wanted)
    ? Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, wanted))
    : standard;
}

async function runStep(
  access: BrowserAccess,
  step: Step,
  call: ToolCall,
  cwd: string,
  time: CallTime,
): Promise<StepResult> {
  const { action, name = MAIN_TAB } = step;
  const signal = AbortSignal.any([call.signal, time.limit]);
  signal.throwIfAborted();
  if (action === 'tabs') return navigate.tabs(access.current());
  if (action === 'close') return close(access, step);
  const work = ON_TAB[action];
  const running = access.current();
  // Without a browser there is nothing to look at; that needs none to be started.
  if (!running && action !== 'open' && action !== 'goto')
    throw errors.create('BROWSER_NO_TAB', { name, known: 'none' });
  const browser = running ?? (await within(access.ensure(signal), signal));
  const context: StepContext = {
    access,
    step,
    call,
    cwd,
    signal,
    browser,
    remaining: () => Math.max(1, time.endsAt - Date.now()),
  };
  const done = work
    ? work(browser.tab(name), context)
    : action === 'open'
      ? navigate.open(context)
      : action === 'goto'
        ? navigate.goto(context)
        : look.showDownloads(context, () => spillFile(scopeOf(call, access.folders), access.folders.state));
  return within(done, signal);
}

async function close(access: BrowserAccess, { all, name = MAIN_TAB }: Step): Promise<StepResult> {
  const browser = access.current();
  if (!browser) return { text: 'No browser is running.' };
  if (all) {
    const count = browser.tabs().length;
    await access.end('it was closed');
    return { text: `Closed ${counted(count, 'tab')} and ended the browser.` };
  }
  await browser.closeTab(browser.tab(name));
  return { text: `Closed tab "${name}".` };
}

/** What a failure means, and what was done about a page that hangs. Throws when the call was cancelled. */
async function explain(
  access: BrowserAccess,
  step: Step,
  fault: unknown,
  call: ToolCall,
  { limit, seconds }: CallTime,
): Promise<TenonError> {
  const { action, name = MAIN_TAB } = step;
  const browser = access.current();
  const tab = browser?.tabs().find((open) => open.name === name);
  const isTimeout = limit.aborted || (fault instanceof Error && fault.name === 'TimeoutError');
  const state = browser && tab && (isTimeout || call.signal.aborted) ? await revive(browser, tab) : '';
  call.signal.throwIfAborted();
  const dialogs = browser?.takeDialogStorm(name);
  if (dialogs !== undefined) return errors.create('BROWSER_DIALOGS', { name, count: dialogs });
  if (browser?.ended !== undefined && !(fault instanceof TenonError))
    return errors.create('BROWSER_ENDED', { action, reason: browser.ended }, fault);
  if (limit.aborted) return errors.create('BROWSER_TIMEOUT', { action, seconds, state }, fault);
  if (fault instanceof TenonError) return fault;
  const reason = reasonOf(fault);
  if (browser && GONE.test(messageOf(fault)))
    return errors.create('BROWSER_TAB_GONE', { action, name, reason: 'its page closed itself or crashed' }, fault);
  return isTimeout
    ? errors.create('BROWSER_TIMEOUT', { action, seconds, state: `${state} The reason: ${reason}.` }, fault)
    : errors.create('BROWSER_ACTION', { action, reason }, fault);
}

/** Gets a page to answer again, or puts it away. */
async function revive(browser: BrowserSession, tab: Tab): Promise<string> {
  if (await tab.answers()) return '';
  await browser.closeTab(tab);
  return browser.ended === undefined
    ? ' The page did not answer any more, and its tab was closed.'
    : ' The page did not answer any more, and the browser was ended.';
}

/** Playwright's first line and the end of its log, which says what stood in the way. */
function reasonOf(fault: unknown): string {
  const [first = '', ...rest] = plainText(messageOf(fault)).split('\n');
  const log = rest
    .map((line) => line.replace(/^\s*-?\s*/, '').trim())
    .filter((line) => line !== '' && !/^(?:Call log:|=+|waiting \d+ms|\d+ × )/.test(line));
  const words = [first.replace(/^\w+\.\w+: /, ''), ...[...new Set(log)].slice(-3)].join('; ');
  return quoted(words.replace(/[.;\s]+$/, ''));
}

interface Before {
  readonly tabs: readonly string[];
  readonly downloads: number;
  readonly errors: ReadonlyMap<Tab, number>;
  readonly dialogs: ReadonlyMap<Tab, number>;
}

function beginCall(browser: BrowserSession | undefined): Before {
  const tabs = browser?.tabs() ?? [];
  for (const tab of tabs) tab.dialogsInCall = 0;
  return {
    tabs: tabs.map(({ name }) => name),
    downloads: browser?.downloads.count ?? 0,
    errors: new Map(tabs.map((tab) => [tab, tab.log.errorCount])),
    dialogs: new Map(tabs.map((tab) => [tab, tab.log.dialogs.total])),
  };
}

/** What happened beside the actions. */
async function noticesOf(browser: BrowserSession | undefined, before: Before): Promise<string[]> {
  if (!browser || browser.ended !== undefined) return [];
  await browser.closeWrongTabs();
  const notices = browser.takeNotices();
  for (const tab of browser.tabs()) {
    const { name, log } = tab;
    if (name.startsWith('popup-') && !before.tabs.includes(name)) notices.push(`The page opened a new tab: "${name}".`);
    const dialogs = log.dialogs.total - (before.dialogs.get(tab) ?? 0);
    if (dialogs > 0)
      notices.push(`Dialogs on "${name}": ${log.dialogs.list().slice(-Math.min(3, dialogs)).join('; ')}.`);
    const faults = log.errorCount - (before.errors.get(tab) ?? 0);
    if (faults > 0) notices.push(`${counted(faults, 'console error')} on "${name}"; see action "console".`);
  }
  const begun = browser.downloads.count - before.downloads;
  if (begun > 0) notices.push(`${counted(begun, 'download')} begun; action "downloads" waits and keeps them.`);
  return notices;
}
