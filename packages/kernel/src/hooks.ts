import { allow, type Caller, isPromise, lateError, now, withDeadline } from './deadline.ts';
import { type Disposable, disposable } from './disposable.ts';
import { messageOf, TenonError } from './errors.ts';
import { kernelErrors } from './kernel-errors.ts';
import type { Handler, HandlerOptions } from './plugin.ts';
import { byRank } from './registry.ts';
import type { GateAnswer, GateVerdict, Hook, HookMode, HookOutput } from './tokens.ts';

/** A plugin whose handler should be there, and why it did not start. */
export interface AbsentHandler {
  readonly plugin: string;
  readonly fault: unknown;
}

/** A handler that is running now. */
export interface PendingHandler {
  readonly hook: string;
  readonly plugin: string;
  readonly sinceMs: number;
}

/** Called for every handler that failed or hung, with the plugin's name in the error. */
export type FaultReport = (error: TenonError) => void;

type AnyHandler = Handler<HookMode, unknown, unknown>;

interface HandlerRecord {
  readonly plugin: string;
  readonly handler: AnyHandler;
  readonly priority: number;
  readonly sequence: number;
  readonly deadlineMs: number | undefined;
}

interface Call {
  readonly record: HandlerRecord;
  readonly hook: string;
  readonly started: number;
  readonly done: Promise<void>;
}

let sequence = 0;

/** Keeps the handlers of all hooks and dispatches to them, each mode by its own rule. */
export class HookBus {
  readonly #handlers = new Map<string, HandlerRecord[]>();
  readonly #running = new Set<Call>();
  readonly #onFault: FaultReport;

  constructor(onFault: FaultReport) {
    this.#onFault = onFault;
  }

  /** Adds a handler. */
  add(hookId: string, plugin: string, handler: AnyHandler, options: HandlerOptions = {}): Disposable {
    const { priority = 0, deadlineMs } = options;
    const record: HandlerRecord = { plugin, handler, priority, sequence: sequence++, deadlineMs };
    this.#handlers.set(hookId, [...(this.#handlers.get(hookId) ?? []), record].sort(byRank));
    return disposable(() => {
      const rest = (this.#handlers.get(hookId) ?? []).filter((other) => other !== record);
      if (rest.length > 0) this.#handlers.set(hookId, rest);
      else this.#handlers.delete(hookId);
    });
  }

  /** Runs a hook by the rule of its mode. `absent` are plugins whose handlers should be there but failed to start. */
  async run<M extends HookMode, In, Out>(
    hook: Hook<M, In, Out>,
    input: In,
    options: Caller & { absent?: readonly AbsentHandler[] } = {},
  ): Promise<HookOutput<M, In, Out>> {
    const records = this.#handlers.get(hook.id) ?? [];
    const call: CallHandler = (record, value) => this.#call(hook, record, value, options);
    const attempt: CallHandler = (record, value) => {
      const fault = (thrown: unknown) => {
        // The caller who aborted must not read that a plugin failed.
        options.signal?.throwIfAborted();
        return this.#fault(hook, record, thrown);
      };
      try {
        const answer = call(record, value);
        return isPromise(answer) ? answer.catch(fault) : answer;
      } catch (thrown) {
        return Promise.reject(thrown as Error).catch(fault);
      }
    };
    const [absent] = options.absent ?? [];
    // Reported when it happened; the caller who needs the handler learns what to do about it.
    if (hook.strict && absent) throw absent.fault;
    let output: unknown = hook.mode === 'reduce' ? input : undefined;
    if (hook.mode === 'gate') {
      output = await this.#gate(hook, records, call, input, { absent, signal: options.signal });
    } else if (hook.mode === 'notify') {
      await Promise.all(records.map((record) => attempt(record, input)).filter(isPromise));
    } else {
      for (const record of records) {
        const answer = await attempt(record, hook.mode === 'reduce' ? output : input);
        if (answer !== undefined) output = answer;
        if (hook.mode === 'first' && answer !== undefined) break;
      }
    }
    return output as HookOutput<M, In, Out>;
  }

  async #gate(
    hook: AnyHook,
    records: HandlerRecord[],
    call: CallHandler,
    input: unknown,
    { absent, signal }: { absent: AbsentHandler | undefined; signal: AbortSignal | undefined },
  ): Promise<GateVerdict> {
    if (absent) {
      const reason = `plugin "${absent.plugin}" guards this but could not start: ${messageOf(absent.fault)}`;
      return { allowed: false, by: absent.plugin, reason, fault: true };
    }
    for (const record of records) {
      try {
        const answer = (await call(record, input)) as GateAnswer;
        if (answer === undefined) continue;
        // Anything but a plain refusal is a mistake of the handler, and a gate must not guess in favour of the caller.
        const reason = typeof answer?.deny === 'string' ? answer.deny : 'the handler gave an answer that is no verdict';
        return { allowed: false, by: record.plugin, reason, fault: typeof answer?.deny !== 'string' };
      } catch (fault) {
        // The caller who aborted must not read that a plugin failed.
        signal?.throwIfAborted();
        this.#fault(hook, record, fault);
        return { allowed: false, by: record.plugin, reason: messageOf(fault), fault: true };
      }
    }
    return { allowed: true };
  }

  #call(hook: AnyHook, record: HandlerRecord, input: unknown, caller: Caller): unknown {
    const { plugin } = record;
    return withDeadline(
      (call) => {
        const answer = record.handler(input, call);
        return isPromise(answer) ? this.#listed(hook.id, record, answer) : answer;
      },
      {
        signal: caller.signal,
        allowance: () =>
          allow(
            () => `the handler of plugin "${plugin}" for hook "${hook.id}"`,
            record.deadlineMs ?? hook.deadlineMs,
            caller,
          ),
        late: (allowance) => lateError(`A handler for hook "${hook.id}"`, plugin, allowance),
      },
    );
  }

  /** A handler that outlives its deadline stays listed until it really ends: that is how a hang gets its name. */
  #listed(hook: string, record: HandlerRecord, answer: Promise<unknown>): Promise<unknown> {
    const end = () => void this.#running.delete(running);
    const running: Call = { record, hook, started: now(), done: answer.then(end, end) };
    this.#running.add(running);
    return answer;
  }

  #fault(hook: AnyHook, record: Pick<HandlerRecord, 'plugin'>, fault: unknown): undefined {
    const isLate = fault instanceof TenonError && fault.code === 'KERNEL_DEADLINE';
    const details = { plugin: record.plugin, hook: hook.id, reason: messageOf(fault) };
    const error = isLate ? fault : kernelErrors.create('KERNEL_HOOK_FAULT', details, fault);
    this.#onFault(error);
    if (hook.strict) throw error;
    return undefined;
  }

  /** The handlers that are running now, of one plugin or of all. */
  pending(plugin?: string): PendingHandler[] {
    const at = now();
    return [...this.#running]
      .filter(({ record }) => plugin === undefined || record.plugin === plugin)
      .map(({ record, hook, started }) => ({ hook, plugin: record.plugin, sinceMs: Math.round(at - started) }));
  }

  /** Waits for a plugin's running handlers, at most `ms`; gives the ones that still run then. */
  async drain(plugin: string, ms: number): Promise<PendingHandler[]> {
    const ends = [...this.#running].filter(({ record }) => record.plugin === plugin).map(({ done }) => done);
    if (ends.length === 0 || ms <= 0) return this.pending(plugin);
    const started = now();
    // Running out of time is no fault here: the answer says who is still running.
    const allowance = () => allow(() => plugin, ms, {});
    const ended = withDeadline(() => Promise.all(ends), { allowance, late: () => new Error(plugin) });
    await Promise.resolve(ended).catch(() => undefined);
    return this.drain(plugin, ms - (now() - started)); // others may have started meanwhile
  }
}

type AnyHook = Pick<Hook<HookMode, unknown, unknown>, 'id' | 'deadlineMs' | 'strict'>;
type CallHandler = (record: HandlerRecord, value: unknown) => unknown;
