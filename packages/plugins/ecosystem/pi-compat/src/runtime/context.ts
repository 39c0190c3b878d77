/** `ctx`, as handlers, tools and commands get it: bound to one session. */
import type { Bridge, NestedOutcome, SessionScope, SessionState } from '../protocol.ts';
import { createModelQuery, createModelRegistry, type PiModel } from './models.ts';
import { plain } from './plain.ts';
import type { Callback } from './registrations.ts';
import { SessionRecorder, type SessionViews } from './session-view.ts';
import type { RuntimeScreen } from './screen.ts';
import { createUi } from './ui.ts';

/** What contexts are made from. */
export interface ContextParts {
  readonly bridge: Bridge;
  readonly views: SessionViews;
  readonly screen: RuntimeScreen;
  refuse(what: string, instead: string): void;
  /** A fault that nobody else hears of. */
  fault(where: string, fault: unknown): void;
  /** Runs `work` with everything that `pi` does in it bound to this place. */
  within<T>(place: SessionScope, work: () => T): T;
  /** What `pi` offers, for contexts that can also send messages. */
  readonly api: () => Record<string, unknown>;
}

/** A place that can become that of another session. */
type MovableScope = Omit<SessionScope, 'session'> & { session?: string };

/** A context. */
export type Context = Record<string, unknown>;

/** Makes the context of handlers and tools. */
export function createContext(parts: ContextParts, place: SessionScope, signal?: AbortSignal): Context {
  const { bridge, views } = parts;
  const state = () => bridge.ask('state', place) as SessionState;
  const later = (method: string, ...args: unknown[]) =>
    void bridge.call(method, place, ...args).catch((fault: unknown) => parts.fault(`ctx.${method}()`, fault));
  const model = () => state().model as PiModel | undefined;
  const timers = new Set<NodeJS.Timeout>();
  const guarded =
    (callback: Callback) =>
    (...args: unknown[]): void => {
      void (async () => callback(...args))().catch((fault: unknown) => parts.fault('a timer', fault));
    };
  const keep = (timer: NodeJS.Timeout) => {
    timer.unref();
    timers.add(timer);
    return timer;
  };
  return {
    cwd: place.cwd,
    signal,
    ui: createUi(parts.screen, place, signal),
    sessionManager: views.view(place),
    modelRegistry: createModelRegistry(bridge, place),
    models: createModelQuery(bridge, place, model),
    agent: { kind: 'main', id: 'Main', name: 'main', depth: 0 },
    get hasUI() {
      return state().hasUI;
    },
    get mode() {
      const { hasUI, hasScreen } = state();
      return hasScreen ? 'tui' : hasUI ? 'rpc' : 'print';
    },
    get model() {
      return model();
    },
    get thinkingLevel() {
      return state().thinking;
    },
    scopedModels: [],
    get tools() {
      return bridge.ask('allTools', place);
    },
    executeTool: () => Promise.reject(new Error('ctx.executeTool() works in the execute function of a tool only.')),
    isIdle: () => state().isIdle,
    hasPendingMessages: () => state().pending,
    hasQueuedMessages: () => state().pending,
    isProjectTrusted: () => true,
    getSystemPrompt: () => bridge.ask('systemPrompt', place),
    getContextUsage: () => usageOf(state()),
    getAsyncJobSnapshot: () => null,
    abort: () => later('abort'),
    shutdown: () => later('shutdown'),
    compact: (options?: unknown) => compact(parts, place, options),
    setTimeout: (callback: Callback, ms?: number, ...args: unknown[]) =>
      keep(setTimeout(guarded(callback), ms, ...args)),
    setInterval: (callback: Callback, ms?: number, ...args: unknown[]) =>
      keep(setInterval(guarded(callback), ms, ...args)),
    clearTimer: (timer: NodeJS.Timeout) => {
      timers.delete(timer);
      clearTimeout(timer);
    },
  };
}

/** How a tool calls another one. */
interface ExecuteOptions {
  /** The signal of the calling tool unless given. */
  readonly signal?: AbortSignal;
  readonly onUpdate?: Callback;
}

/** Makes the context of a tool that runs, which may also call others. */
export function createToolContext(
  parts: ContextParts,
  place: SessionScope,
  signal: AbortSignal,
  callId: string,
): Context {
  const { bridge } = parts;
  const own = {
    get tools() {
      return bridge.ask('callableTools', place, callId);
    },
    executeTool: async (name: string, args: unknown, options: ExecuteOptions = {}) => {
      const { onUpdate, signal: stop = signal } = options;
      const update = onUpdate && ((partial: unknown) => void onUpdate(partial));
      return (await bridge.call(
        'executeTool',
        place,
        callId,
        String(name),
        plain(args ?? {}),
        stop,
        update,
      )) as NestedOutcome;
    },
  };
  return Object.defineProperties(createContext(parts, place, signal), Object.getOwnPropertyDescriptors(own));
}

/**
 * Makes the context of commands, which may also move between sessions. The place moves along, so that the context and `pi` are
 * about the session that the user sees.
 */
export function createCommandContext(parts: ContextParts, place: MovableScope): Context {
  const { bridge, views } = parts;
  const moved = async (answer: unknown, withSession: unknown): Promise<{ cancelled: boolean; text?: string }> => {
    const { session, ...result } = answer as { cancelled: boolean; session?: string; text?: string };
    if (result.cancelled || session === undefined) return result;
    place.session = session;
    if (typeof withSession === 'function') {
      const there: SessionScope = { ...place };
      const { sendMessage, sendUserMessage } = parts.api();
      const context = { ...createCommandContext(parts, there), sendMessage, sendUserMessage };
      await parts.within(there, () => (withSession as Callback)(context));
    }
    return result;
  };
  const own = {
    getSystemPromptOptions: () => ({ cwd: place.cwd }),
    waitForIdle: async () => void (await bridge.call('waitForIdle', place)),
    newSession: async (options: Record<string, unknown> = {}) => {
      const recorder = new SessionRecorder();
      if (typeof options['setup'] === 'function')
        await (options['setup'] as Callback)(recorder.manager(views.view(place)));
      const answer = await bridge.call('newSession', place, {
        ...(typeof options['parentSession'] === 'string' && { parentSession: options['parentSession'] }),
        entries: plain(recorder.entries),
      });
      return moved(answer, options['withSession']);
    },
    switchSession: async (file: string, options: Record<string, unknown> = {}) =>
      moved(await bridge.call('switchSession', place, file), options['withSession']),
    branch: async (entryId: string) => moved(await bridge.call('branch', place, entryId), undefined),
    fork: async (entryId: string, options: Record<string, unknown> = {}) =>
      moved(await bridge.call('branch', place, entryId), options['withSession']),
    navigateTree: async (target: string, options: Record<string, unknown> = {}) =>
      moved(await bridge.call('navigateTree', place, target, plain(options)), undefined),
    reload: async () => void (await bridge.call('reload', place)),
  };
  const context = createContext(parts, place);
  return Object.defineProperties(context, Object.getOwnPropertyDescriptors(own));
}

function usageOf({ contextTokens, contextWindow }: SessionState): Record<string, unknown> | undefined {
  if (contextWindow === 0) return undefined;
  return { tokens: contextTokens, contextWindow, percent: (contextTokens / contextWindow) * 100 };
}

async function compact({ bridge, fault }: ContextParts, place: SessionScope, options: unknown): Promise<void> {
  const settings = (typeof options === 'string' ? { customInstructions: options } : (options ?? {})) as {
    customInstructions?: string;
    onComplete?: Callback;
    onError?: Callback;
  };
  try {
    const result = await bridge.call('compact', place, settings.customInstructions);
    settings.onComplete?.(result);
  } catch (reason) {
    if (settings.onError) settings.onError(reason);
    else fault('ctx.compact()', reason);
  }
}
