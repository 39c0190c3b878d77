/** How another tool speaks with its hooks. */
import type { ExternalHook } from '@tenon/discovery/api';
import type { ForeignCall, ForeignTools } from '../foreign-call.ts';
import type { MatcherStyle } from '../matcher.ts';
import type { Moment, Occasion, HookSite } from '../occasion.ts';
import type { Reading } from '../outcome.ts';

/** What a hook is told about an occasion. */
export interface Payload {
  /** What its JSON has beside the common fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What its matcher is compared with; absent where matchers do not count. */
  readonly subjects?: readonly string[];
  /** The call of a tool that it is about. */
  readonly call?: ForeignCall;
}

/** An event of a dialect. */
export interface EventSpec {
  readonly moment: Moment;
  /** True when hooks can only watch: what they refuse happens all the same. */
  readonly observes?: boolean;
  /** True when text that is no JSON is for the model. */
  readonly textIsContext?: boolean;
  /** True when commands may write down variables for the session. */
  readonly hasEnvFile?: boolean;
  /** The payloads for an occasion; none when it does not concern the event. */
  payloads(occasion: Occasion, site: HookSite): readonly Payload[];
}

/** One tool's hooks. */
export interface Dialect {
  readonly matchers: MatcherStyle;
  readonly tools: ForeignTools;
  readonly events: Readonly<Record<string, EventSpec>>;
  /** What every payload has. */
  common(site: HookSite, event: string): Readonly<Record<string, unknown>>;
  environment(site: HookSite, projectFolder: string): Readonly<Record<string, string>>;
  /** Where commands run. */
  folder(hook: ExternalHook, site: HookSite, level: 'user' | 'project', projectFolder: string): string;
  /** Reads JSON that a hook printed. */
  read(answer: Readonly<Record<string, unknown>>, spec: EventSpec, payload: Payload): Reading;
  /** What text means that is no JSON. */
  readText(text: string, spec: EventSpec): Reading;
  /** What exit code 2 means. */
  refuse(reason: string, spec: EventSpec): Reading;
}

/** An event for one kind of occasion. */
export function event<M extends Moment>(
  moment: M,
  payloads: (occasion: Occasion<M>, site: HookSite) => readonly Payload[],
  options: Omit<EventSpec, 'moment' | 'payloads'> = {},
): EventSpec {
  return {
    moment,
    payloads: (occasion, site) =>
      occasion.moment === moment ? payloads(occasion as unknown as Occasion<M>, site) : [],
    ...options,
  };
}

/** A value of a record that has to be text. */
export function textOf(record: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  for (const key of keys) if (typeof record[key] === 'string' && record[key] !== '') return record[key];
  return undefined;
}

/** True for JSON objects. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Leaves out what is undefined. */
export function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** The text of what a hook wants the model to see instead of a result. */
export function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(outputText).join('\n');
  if (!isRecord(value)) return JSON.stringify(value) ?? '';
  const text = textOf(value, 'text', 'output');
  if (text !== undefined) return text;
  if (typeof value['stdout'] === 'string')
    return [value['stdout'], textOf(value, 'stderr') ?? ''].filter(Boolean).join('\n');
  return value['content'] === undefined ? JSON.stringify(value) : outputText(value['content']);
}
