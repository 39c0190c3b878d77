/** What an action gets and gives. */
import type { ToolCall } from '@tenon/tools/api';
import { cutText, plainLine } from '@tenon/wording';
import type { BrowserAccess } from '../browser-runner.ts';
import type { BrowserSession } from '../browser-session.ts';
import { errors } from '../errors.ts';
import type { Step } from '../steps.ts';
import type { Tab } from '../tab.ts';

/** The outcome of one step. */
export interface StepResult {
  /** In our own words. */
  readonly text: string;
  /** What the page says; shown between marks. */
  readonly page?: string;
  readonly image?: { readonly data: string; readonly mimeType: string };
  /** Facts for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a step works with. */
export interface StepContext {
  readonly access: BrowserAccess;
  readonly step: Step;
  readonly call: ToolCall;
  readonly cwd: string;
  /** Aborts when the call is cancelled or its time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left. */
  remaining(): number;
  readonly browser: BrowserSession;
}

/** An action on a tab that is open. */
export type TabAction = (tab: Tab, context: StepContext) => Promise<StepResult>;

/** A field that the action cannot do without. */
export function needed<K extends keyof Step>(step: Step, key: K): NonNullable<Step[K]> {
  const value = step[key];
  if (value === undefined || value === '')
    throw errors.create('BROWSER_INPUT', { action: step.action, problem: `needs ${key}` });
  return value as NonNullable<Step[K]>;
}

/** Limits for Playwright: a little less than what is left, so that its own words about the reason arrive. */
export function limits({ remaining, signal }: StepContext): { timeout: number; signal: AbortSignal } {
  return { timeout: Math.max(100, remaining() - 300), signal };
}

/** What Playwright says when a page is not there any more. */
export const GONE = /Target crashed|Page crashed|has been closed|Page closed|Target closed/i;

/** Words of a page, or of a tool about a page, inside our own: on one line, and told apart from what we say. */
export function quoted(text: string, maxChars = 600): string {
  return `“${cutText(plainLine(text).replace(/[“”]/g, '"'), maxChars)}”`;
}

/** Where a tab is, on one line. */
export async function place(tab: Tab): Promise<string> {
  const title = await tab.title();
  return `${tab.address}${title === '' ? '' : ` ${JSON.stringify(title)}`}`;
}
