/** Token counts in all the spellings that CLIs use for them. */
import type { WorkerUsage } from '../events.ts';
import { type Fields, fieldsOf, isFields, numberOf } from './fields.ts';

/** Nothing was used. */
export const NO_USAGE: WorkerUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** Both together. */
export function addUsage(a: WorkerUsage, b: WorkerUsage): WorkerUsage {
  return combine(a, b, (left, right) => left + right);
}

/** What came on top of `before`. A sum that is smaller than before is no sum of both: then it stands for itself. */
export function usageSince(sum: WorkerUsage, before: WorkerUsage | undefined): WorkerUsage {
  if (!before || sum.input < before.input || sum.output < before.output) return sum;
  return combine(sum, before, (now, then) => Math.max(0, now - then));
}

/** What came on top of `before`, in US dollars. */
export function costSince(sum: number, before: number | undefined): number {
  if (before === undefined || sum < before) return sum;
  // Sums of dollars are binary fractions: without rounding a cent becomes 0.00999….
  return Math.round((sum - before) * 1e9) / 1e9;
}

/** True when nothing was counted. */
export function isNoUsage(usage: WorkerUsage): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite + usage.reasoning === 0;
}

function combine(a: WorkerUsage, b: WorkerUsage, by: (a: number, b: number) => number): WorkerUsage {
  return {
    input: by(a.input, b.input),
    output: by(a.output, b.output),
    cacheRead: by(a.cacheRead, b.cacheRead),
    cacheWrite: by(a.cacheWrite, b.cacheWrite),
    reasoning: by(a.reasoning, b.reasoning),
  };
}

/** A spelling: a path of keys, and whether the number comes on top of the input. */
interface Spelling {
  readonly path: readonly string[];
  readonly apart?: true;
}

const at = (...path: string[]): Spelling => ({ path });
/** Said of caches that the input does not count: Anthropic's names, and those of pi and opencode. */
const apart = (...path: string[]): Spelling => ({ path, apart: true });

const INPUT = ['input_tokens', 'inputTokens', 'prompt_tokens', 'promptTokens', 'promptTokenCount', 'input', 'prompt'];
const OUTPUT = [
  'output_tokens',
  'outputTokens',
  'completion_tokens',
  'completionTokens',
  'candidatesTokenCount',
  'output',
  'completion',
  'candidates',
];
const CACHE_READ = [
  apart('cache_read_input_tokens'),
  apart('cacheReadInputTokens'),
  apart('cache_read_tokens'),
  apart('cacheReadTokens'),
  apart('cacheRead'),
  apart('cache_read'),
  apart('cache', 'read'),
  at('cached_input_tokens'),
  at('cachedInputTokens'),
  at('cached_tokens'),
  at('cachedTokens'),
  at('cachedContentTokenCount'),
  at('input_tokens_details', 'cached_tokens'),
  at('prompt_tokens_details', 'cached_tokens'),
  at('cached'),
];
const CACHE_WRITE = [
  apart('cache_creation_input_tokens'),
  apart('cacheCreationInputTokens'),
  apart('cacheWriteTokens'),
  apart('cacheWrite'),
  apart('cache_write'),
  apart('cache', 'write'),
  at('cache_write_input_tokens'),
];
const REASONING = [
  at('reasoning_output_tokens'),
  at('reasoning_tokens'),
  at('reasoningTokens'),
  at('thinking_tokens'),
  at('thinkingTokens'),
  at('thoughtsTokenCount'),
  at('output_tokens_details', 'reasoning_tokens'),
  at('output_tokens_details', 'thinking_tokens'),
  at('completion_tokens_details', 'reasoning_tokens'),
  at('reasoning'),
  at('thoughts'),
];

/**
 * Reads a usage object; undefined when it has neither input nor output tokens. `input` of the result is the whole prompt:
 * caches that the CLI counts apart are added to it.
 */
export function readUsage(value: unknown): WorkerUsage | undefined {
  if (!isFields(value)) return undefined;
  const input = firstOf(
    value,
    INPUT.map((key) => at(key)),
  );
  const output = firstOf(
    value,
    OUTPUT.map((key) => at(key)),
  );
  if (!input && !output) return undefined;
  const read = firstOf(value, CACHE_READ);
  const written = firstOf(value, CACHE_WRITE);
  const extra = [read, written].reduce((sum, found) => sum + (found?.isApart ? found.count : 0), 0);
  return {
    input: (input?.count ?? 0) + extra,
    output: output?.count ?? 0,
    cacheRead: read?.count ?? 0,
    cacheWrite: written?.count ?? 0,
    reasoning: firstOf(value, REASONING)?.count ?? 0,
  };
}

function firstOf(value: Fields, spellings: readonly Spelling[]): { count: number; isApart: boolean } | undefined {
  for (const { path, apart: isApart } of spellings) {
    const found = path.reduce<unknown>((inner, key) => fieldsOf(inner)[key], value);
    const count = numberOf(found);
    if (count !== undefined && count >= 0 && count <= Number.MAX_SAFE_INTEGER)
      return { count, isApart: isApart === true };
  }
  return undefined;
}

/** How deep a usage object is searched; CLIs put it at most into `event.message.usage`. */
const MAX_DEPTH = 4;

/** The first `usage` (or `tokens`, `stats`) with token counts in an event of any shape. */
export function findUsage(value: unknown, depth = 0): WorkerUsage | undefined {
  if (depth > MAX_DEPTH || !isFields(value)) return undefined;
  for (const key of ['usage', 'tokens', 'stats', 'usageMetadata']) {
    const usage = readUsage(value[key]);
    if (usage) return usage;
  }
  for (const inner of Object.values(value)) {
    const usage = findUsage(inner, depth + 1);
    if (usage) return usage;
  }
  return undefined;
}
