/** Handlers of packs: in the middle of all others, no longer than the hook allows, and with answers of the right shape. */
import type { HandlerOptions, Hook, HookMode } from '@tenon/kernel';

type AnyHook = Hook<HookMode, unknown, unknown>;

/** Built-in handlers that must be first or last have priorities beyond these. */
const MOST = 100;

/** The options that count. */
export function handlerOptions({ deadlineMs }: AnyHook, options: HandlerOptions | undefined): HandlerOptions {
  const priority = Number(options?.priority ?? 0);
  const wanted = Number(options?.deadlineMs ?? deadlineMs);
  return {
    priority: Number.isFinite(priority) ? Math.max(-MOST, Math.min(MOST, priority)) : 0,
    deadlineMs: wanted > 0 ? Math.min(wanted, deadlineMs) : deadlineMs,
  };
}

/** What a handler says, as far as it may: where each sees the output of the one before, the place and the kinds of things stay. */
export function handlerAnswer({ id, mode }: AnyHook, input: unknown, answer: unknown): unknown {
  if (mode !== 'reduce' || answer === undefined || !isRecord(input)) return answer;
  if (!isRecord(answer)) throw new TypeError(`the answer to "${id}" is not an object`);
  for (const [name, before] of Object.entries(input)) {
    const after = answer[name];
    if (after !== undefined && kindOf(after) !== kindOf(before))
      throw new TypeError(`the answer to "${id}" has another kind of "${name}"`);
  }
  const { session, cwd } = input;
  return {
    ...input,
    ...answer,
    ...(session !== undefined && { session }),
    ...(cwd !== undefined && { cwd }),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
