/** Calls that tools of extensions make while they run. Each goes the way of a call of the model: schema, hooks, approval, sandbox. */
import { messageOf } from '@tenon/kernel';
import type { ToolCall, ToolResult, ToolRunner } from '@tenon/tools/api';
import type { NestedOutcome, SessionScope } from '../protocol.ts';

/** Tools that call tools that call tools: deeper than this something goes round in circles. */
const MAX_DEPTH = 8;
/** More at the same time would only be refused by others, one after the other. */
const MAX_AT_ONCE = 32;

/** A call that runs. */
interface Running {
  readonly owner: object;
  readonly call: ToolCall;
  readonly depth: number;
  /** Aborted when the call is over: what it started does not outlive it. */
  readonly over: AbortController;
  started: number;
  open: number;
}

/** A call that a tool wants to make. */
export interface NestedCall {
  readonly name: string;
  readonly args: unknown;
  readonly signal?: AbortSignal;
  onUpdate?(partial: ToolResult): unknown;
}

/** What making it needs. */
export interface NestedParts {
  readonly owner: object;
  runner(): Promise<ToolRunner>;
  /** Whether the extension may call a tool of this name. */
  isCallable(name: string, call: ToolCall): boolean;
  /** Tells extensions what happens. */
  tell(event: string, about: Readonly<Record<string, unknown>>): void;
}

/** The calls of extensions' tools in one folder. */
export class NestedCalls {
  readonly #running = new Map<string, Running>();
  /** Nested call -> the one that made it. */
  readonly #parents = new Map<string, Running>();

  /** Runs a call of an extension's tool; while it runs, it may make others. */
  async during<T>(owner: object, call: ToolCall, work: () => Promise<T>): Promise<T> {
    const key = keyOf(call.scope?.session, call.id);
    const depth = (this.#parents.get(key)?.depth ?? 0) + 1;
    const running: Running = { owner, call, depth, over: new AbortController(), started: 0, open: 0 };
    this.#running.set(key, running);
    try {
      return await work();
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key);
      running.over.abort(new DOMException('The tool that made the call has ended.', 'AbortError'));
    }
  }

  /** The call of `owner` that runs under this id. */
  find(owner: object, { session }: SessionScope, callId: string): ToolCall | undefined {
    return this.#find(owner, session, callId)?.call;
  }

  /** The id of the call that made this one, if one did. */
  parentOf(session: string | undefined, callId: string): string | undefined {
    return this.#parents.get(keyOf(session, callId))?.call.id;
  }

  /** Makes a call. Everything that a tool can come to is an outcome; rejects only when the calling tool does not run. */
  async execute(place: SessionScope, callId: string, wanted: NestedCall, parts: NestedParts): Promise<NestedOutcome> {
    const running = this.#find(parts.owner, place.session, callId);
    if (!running) throw new Error('ctx.executeTool() works only while the tool runs that calls it.');
    const { call, over } = running;
    const { name, args } = wanted;
    const id = `${call.id}/${++running.started}`;
    const toolCall = { type: 'toolCall' as const, id, name, arguments: args };
    const refused = (text: string): NestedOutcome => ({
      toolCall,
      result: { content: [{ type: 'text', text }] },
      isError: true,
    });
    if (running.depth >= MAX_DEPTH)
      return refused('Tools have called each other too many times in a row; this call was not made.');
    if (running.open >= MAX_AT_ONCE)
      return refused(`The tool has ${running.open} calls under way; this one was not made.`);
    if (!parts.isCallable(name, call)) return refused(`There is no tool "${name}" that this session may use.`);
    const about = { toolCallId: id, toolName: name, parentToolCallId: call.id };
    const signal = AbortSignal.any([call.signal, over.signal, ...(wanted.signal ? [wanted.signal] : [])]);
    const key = keyOf(call.scope?.session, id);
    this.#parents.set(key, running);
    running.open++;
    const began = performance.now();
    try {
      parts.tell('tool_execution_start', { ...about, args });
      const result = await this.#run(await parts.runner(), { ...wanted, signal }, call, id, (partialResult) =>
        parts.tell('tool_execution_update', { ...about, args, partialResult }),
      );
      const { isError = false, ...rest } = result;
      parts.tell('tool_execution_end', { ...about, result: rest, isError });
      return { toolCall, result: rest, isError, durationMs: Math.round(performance.now() - began) };
    } finally {
      running.open--;
      this.#parents.delete(key);
    }
  }

  async #run(
    runner: ToolRunner,
    { name, args, signal, onUpdate }: NestedCall & { readonly signal: AbortSignal },
    { scope }: ToolCall,
    callId: string,
    tell: (partial: ToolResult) => void,
  ): Promise<ToolResult> {
    try {
      return await runner.run(name, args, {
        callId,
        signal,
        ...(scope && { scope }),
        onUpdate: async (partial) => {
          tell(partial);
          await onUpdate?.(partial);
        },
      });
    } catch (fault) {
      // The runner rejects on cancellation and defects; in pi both are results.
      const text = signal.aborted ? 'The call was stopped.' : messageOf(fault);
      return { content: [{ type: 'text', text }], isError: true };
    }
  }

  #find(owner: object, session: string | undefined, callId: string): Running | undefined {
    const running = this.#running.get(keyOf(session, callId));
    return running?.owner === owner ? running : undefined;
  }
}

function keyOf(session: string | undefined, callId: string): string {
  return `${session ?? ''}\0${callId}`;
}
