/** Runs one extension: loads its module, keeps what it registers, and answers Tenon. The same code in both kinds of process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Bridge, RouteQuestion, SessionScope, RuntimeStart, ThoughtDrawing } from '../protocol.ts';
import { createApi } from './api.ts';
import { type Context, type ContextParts, createCommandContext, createContext, createToolContext } from './context.ts';
import { dispatch } from './dispatch.ts';
import { EventBus } from './event-bus.ts';
import { PendingCalls } from './pending-calls.ts';
import { plain } from './plain.ts';
import { routeAnswer } from './route-answer.ts';
import { type Callback, Registrations, type ToolDefinition } from './registrations.ts';
import { Renderers } from './render.ts';
import { applySchema } from './schema.ts';
import { RuntimeScreen } from './screen.ts';
import { SessionViews } from './session-view.ts';
import { createModules, type ForeignModules } from './shims/modules.ts';

/** Imports a module with others under the names that it uses. */
export type ImportModule = (
  file: string,
  modules: Readonly<Record<string, unknown>>,
) => Promise<Record<string, unknown>>;

type Fields = Record<string, unknown>;

/** One extension that runs. */
export class Runtime {
  readonly #start: RuntimeStart;
  readonly #bridge: Bridge;
  readonly #registrations: Registrations;
  readonly #bus: EventBus;
  readonly #actions = new PendingCalls();
  readonly #current = new AsyncLocalStorage<SessionScope>();
  readonly #refused = new Set<string>();
  readonly #modules: ForeignModules;
  readonly #screen: RuntimeScreen;
  readonly #draw: Renderers;
  readonly #contexts: ContextParts;
  readonly #api: Fields;
  #last: SessionScope | undefined;
  #isLoaded = false;
  #isTelling = false;

  constructor(start: RuntimeStart, bridge: Bridge) {
    this.#start = start;
    this.#bridge = bridge;
    this.#registrations = new Registrations(() => this.#tellShape());
    const fault = (where: string, reason: unknown) => this.#fault(where, reason);
    this.#bus = new EventBus(
      (channel, data) => {
        bridge.call('bus', channel, data).catch((reason: unknown) => fault('pi.events.emit()', reason));
      },
      fault,
      () => this.#registrations.noteListening(),
    );
    const refuse = (what: string, instead: string) => this.#refuse(what, instead);
    this.#screen = new RuntimeScreen({
      bridge,
      fault,
      refuse,
      within: (place, work) => this.#current.run(place, work),
    });
    this.#draw = new Renderers(this.#screen.theme, start.cwd);
    const confined = start.trusted ? undefined : start.name;
    this.#modules = createModules({
      ...start,
      confined,
      bridge,
      theme: this.#screen.theme,
      place: () => this.#place() ?? { cwd: start.cwd },
    });
    this.#api = createApi({
      bridge,
      registrations: this.#registrations,
      bus: this.#bus,
      screen: this.#screen,
      actions: this.#actions,
      modules: this.#modules.injected,
      confined,
      cwd: start.cwd,
      file: start.file,
      place: (what) => this.#requirePlace(what),
      anyPlace: () => this.#place() ?? { cwd: start.cwd },
      refuse,
      fault,
    });
    this.#contexts = {
      bridge,
      views: new SessionViews(bridge),
      screen: this.#screen,
      refuse,
      fault,
      within: (place, work) => this.#current.run(place, work),
      api: () => this.#api,
    };
  }

  /** Imports the module and runs its factory; then Tenon knows what it registered. */
  async load(importModule: ImportModule): Promise<void> {
    const { file, kind } = this.#start;
    const module = await importModule(file, this.#modules.byName);
    const factory = factoryIn(module);
    if (factory === undefined) throw new TypeError('its default export is not a function');
    const made = await factory(this.#api);
    if (kind === 'tool' || isTool(made)) {
      for (const tool of Array.isArray(made) ? made : [made]) {
        if (tool !== undefined && tool !== null) this.#registrations.tool(tool as ToolDefinition, 'custom-tool');
      }
    }
    this.#isLoaded = true;
    this.#bridge.ask('shape', this.#registrations.shape());
  }

  /** Answers one request of Tenon. */
  answer(method: string, args: readonly unknown[]): unknown {
    const serve = this.#methods[method];
    if (!serve) throw new TypeError(`there is no method "${method}"`);
    return serve(args);
  }

  readonly #methods: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
    event: ([name, event, place, signal]) =>
      this.#event(name as string, event as Fields, place as SessionScope, signal),
    tool: (args) => this.#tool(args),
    command: ([name, words, place]) =>
      this.#in(place as SessionScope, async () => {
        const command = this.#registrations.commands.get(name as string);
        if (!command) throw new Error(`there is no command "${String(name)}"`);
        await command.handler(words, createCommandContext(this.#contexts, place as SessionScope));
      }),
    completions: async ([name, prefix]) =>
      plain((await this.#registrations.commands.get(name as string)?.getArgumentCompletions?.(prefix)) ?? []),
    shortcut: ([key, place]) =>
      this.#in(place as SessionScope, async () => {
        await this.#registrations.shortcuts.get(key as string)?.handler(this.#context(place as SessionScope));
      }),
    bus: ([channel, data]) => this.#bus.deliver(channel as string, data),
    action: ([id, decision, reason]) =>
      this.#actions.settle(id as number, decision as 'apply' | 'reject', String(reason)),
    stream: ([provider, model, context, options]) => this.#stream(provider as string, model, context, options),
    route: ([key, question, place, signal]) =>
      this.#route(key as string, question as RouteQuestion, place as SessionScope, signal as AbortSignal),
    thought: ([thought, options]) =>
      this.#draw.thought(this.#registrations.thoughtRenderers, thought as ThoughtDrawing, options as never),
    screen: ([what, ...args]) => this.#screen.answer(what as string, args),
    message: ([type, message, options]) =>
      this.#draw.message(this.#registrations.renderers.get(type as string), message, options as never),
    entry: ([type, entry, options]) =>
      this.#draw.message(this.#registrations.entryRenderers.get(type as string), entry, options as never),
    drawing: ([name, part, data, options]) =>
      this.#draw.tool(this.#toolRenderer(name as string), part as 'call' | 'result', data as never, options as never),
    markdown: async ([text, about]) => {
      let changed = String(text);
      for (const transform of this.#registrations.transformers) {
        const answer = await transform(changed, about);
        if (typeof answer === 'string') changed = answer;
      }
      return changed;
    },
  };

  #toolRenderer(name: string): Pick<ToolDefinition, 'renderCall' | 'renderResult'> | undefined {
    const { tools, toolRenderers, toolResolvers } = this.#registrations;
    const known = toolRenderers.get(name) ?? tools.get(name)?.definition;
    if (known) return known;
    for (const resolve of toolResolvers) {
      const found = resolve(name, {}) as ToolDefinition | undefined;
      if (typeof found === 'object' && found !== null) return found;
    }
    return undefined;
  }

  #event(name: string, event: Fields, place: SessionScope, signal: unknown): unknown {
    return this.#in(place, () => {
      const abort = signal instanceof AbortSignal ? signal : undefined;
      const context = this.#context(place, abort);
      if (name === 'tool_session') return this.#toolSession(event, context);
      return dispatch({
        name,
        event: { type: name, ...event, ...(abort && { signal: abort }) },
        handlers: this.#registrations.handlers.get(name) ?? [],
        context,
        fault: (reason) => this.#fault(name, reason),
      });
    });
  }

  async #toolSession(event: Fields, context: Context): Promise<void> {
    for (const { definition } of this.#registrations.tools.values()) {
      try {
        await definition.onSession?.(event, context);
      } catch (reason) {
        this.#fault(`onSession of the tool "${definition.name}"`, reason);
      }
    }
  }

  #tool([name, callId, input, signal, onUpdate, place]: readonly unknown[]): unknown {
    return this.#in(place as SessionScope, async () => {
      const tool = this.#registrations.tools.get(name as string);
      if (!tool) throw new Error(`The tool "${String(name)}" is no longer there.`);
      const { definition, style } = tool;
      const prepared = definition.prepareArguments ? definition.prepareArguments(input) : input;
      const parameters = applySchema(definition.parameters, prepared);
      const update = (partial: unknown) => {
        // A tool does not wait for its updates to be shown.
        void (onUpdate as Callback)(resultOf(partial)) as unknown;
      };
      const context = createToolContext(this.#contexts, place as SessionScope, signal as AbortSignal, callId as string);
      const args =
        style === 'custom-tool'
          ? [callId, parameters, update, context, signal]
          : [callId, parameters, signal, update, context];
      return resultOf(await definition.execute.apply(definition, args));
    });
  }

  async *#stream(provider: string, model: unknown, context: unknown, options: unknown): AsyncGenerator<unknown> {
    const stream = this.#registrations.providers.get(provider)?.streamSimple;
    if (!stream) throw new Error(`the provider "${provider}" is no longer there`);
    for await (const event of (await stream(model, context, options)) as AsyncIterable<unknown>) yield plain(event);
  }

  #route(key: string, question: RouteQuestion, place: SessionScope, signal: AbortSignal): unknown {
    const model = this.#registrations.virtualModels.get(key);
    if (!model) throw new Error(`the virtual model "${key}" is no longer there`);
    return this.#in(place, async () =>
      routeAnswer(question, await model.route({ ...question, signal }, this.#context(place, signal))),
    );
  }

  #context(place: SessionScope, signal?: AbortSignal): Context {
    return createContext(this.#contexts, place, signal);
  }

  #in<T>(place: SessionScope, work: () => T): T {
    if (place.session !== undefined) this.#last = place;
    return this.#current.run(place, work);
  }

  #place(): SessionScope | undefined {
    return this.#current.getStore() ?? this.#last;
  }

  #requirePlace(what: string): SessionScope {
    const place = this.#place();
    if (place) return place;
    const error = new Error(
      `${what} cannot be used while the extension is loaded; use it in an event, a tool or a command.`,
    );
    error.name = 'ExtensionRuntimeNotInitializedError';
    throw error;
  }

  /** What registers much at once is told once. Before the end of the load nothing is told: it may still fail. */
  #tellShape(): void {
    if (!this.#isLoaded || this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      this.#bridge
        .call('shape', this.#registrations.shape())
        .catch((reason: unknown) => this.#fault('a registration', reason));
    });
  }

  #fault(where: string, reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    // When Tenon is gone there is nobody to tell.
    this.#bridge.call('fault', where, error.message, error.stack).catch(() => undefined);
  }

  /** Tells once about each thing that cannot be done here. */
  #refuse(what: string, instead: string): void {
    if (this.#refused.has(what)) return;
    this.#refused.add(what);
    this.#bridge.call('refused', what, instead).catch(() => undefined); // as above
  }
}

function factoryIn(module: Fields): Callback | undefined {
  const inner = (module['default'] as Fields | undefined)?.['default'];
  const factory = [module['default'], inner, module].find((value) => typeof value === 'function');
  return factory as Callback | undefined;
}

function isTool(value: unknown): boolean {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === 'object' && first !== null && 'execute' in first && 'name' in first;
}

/** Content as Tenon has it; a tool that gives plain text means a text. */
function resultOf(value: unknown): Fields {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  const { content, details, isError } = (value ?? {}) as Fields;
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  return {
    content: plain(list).filter(({ type }: Fields) => type === 'text' || type === 'image'),
    ...(details !== undefined && { details: plain(details) }),
    ...(isError === true && { isError }),
  };
}
