/** What one extension registered: kept here, told to Tenon as data. */
import { ANY_TOOL } from '../protocol.ts';
import type { ExtensionShape, FlagShape } from '../protocol.ts';
import { checkServer } from './mcp-config.ts';
import { plain } from './plain.ts';
import { providerShape, toolShape, virtualModelShape } from './shapes.ts';

/** Any function of an extension. */
export type Callback = (...args: unknown[]) => unknown;

/** A tool as extensions (and, with another order of arguments, custom tools) write it. */
export interface ToolDefinition {
  readonly name: string;
  readonly label?: string;
  readonly description?: string;
  readonly parameters?: unknown;
  readonly hidden?: boolean;
  readonly defaultInactive?: boolean;
  readonly approval?: unknown;
  readonly executionMode?: string;
  readonly promptGuidelines?: readonly string[];
  readonly prepareArguments?: Callback;
  execute: Callback;
  readonly onSession?: Callback;
  readonly renderCall?: Callback;
  readonly renderResult?: Callback;
}

/** A command. */
export interface CommandDefinition {
  readonly description?: string;
  readonly getArgumentCompletions?: Callback;
  handler: Callback;
}

/** A provider. */
export interface ProviderDefinition {
  readonly name?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly api?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authHeader?: boolean;
  readonly models?: readonly Record<string, unknown>[];
  readonly streamSimple?: Callback;
  readonly oauth?: unknown;
}

/** A virtual model: `route` names a real one for each request. */
export interface VirtualModelDefinition {
  readonly provider: string;
  readonly id: string;
  readonly name?: string;
  readonly thinkingLevels?: readonly string[];
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly input?: readonly string[];
  route: Callback;
}

/** What an extension registered. `changed` is called after every change. */
export class Registrations {
  readonly handlers = new Map<string, Callback[]>();
  /** With the order in which the arguments of `execute` come. */
  readonly tools = new Map<
    string,
    { readonly definition: ToolDefinition; readonly style: 'extension' | 'custom-tool' }
  >();
  readonly commands = new Map<string, CommandDefinition>();
  readonly shortcuts = new Map<string, { readonly description?: string; handler: Callback }>();
  readonly flags = new Map<string, FlagShape>();
  readonly renderers = new Map<string, Callback>();
  readonly entryRenderers = new Map<string, Callback>();
  readonly toolRenderers = new Map<string, Pick<ToolDefinition, 'renderCall' | 'renderResult'>>();
  /** Functions that say for any tool how it looks, or nothing. */
  readonly toolResolvers: Callback[] = [];
  readonly transformers: Callback[] = [];
  readonly thoughtRenderers: Callback[] = [];
  readonly providers = new Map<string, ProviderDefinition>();
  /** By `provider/id`. */
  readonly virtualModels = new Map<string, VirtualModelDefinition>();
  readonly mcpServers = new Map<string, Readonly<Record<string, unknown>>>();
  /** Whether it listens to the bus that extensions share. */
  listens = false;
  label: string | undefined;
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Adds a handler; the result takes it away again. */
  on(event: string, handler: unknown): () => void {
    if (typeof handler !== 'function') throw new TypeError(`the handler of "${event}" is not a function`);
    const list = this.handlers.get(event) ?? [];
    this.handlers.set(event, [...list, handler as Callback]);
    this.#changed();
    return () => {
      this.handlers.set(
        event,
        (this.handlers.get(event) ?? []).filter((other) => other !== handler),
      );
      this.#changed();
    };
  }

  tool(definition: ToolDefinition, style: 'extension' | 'custom-tool'): void {
    if (typeof definition?.name !== 'string' || typeof definition.execute !== 'function') {
      throw new TypeError('a tool needs a name and a function "execute"');
    }
    toolShape(definition);
    this.tools.set(definition.name, { definition, style });
    this.#changed();
  }

  command(name: string, definition: CommandDefinition): void {
    const plainName = name.replace(/^\//, '');
    if (!/^\S+$/.test(plainName)) throw new TypeError(`"${name}" is not the name of a command`);
    if (typeof definition?.handler !== 'function') throw new TypeError(`the command "${name}" has no handler`);
    this.commands.set(plainName, definition);
    this.#changed();
  }

  shortcut(key: unknown, definition: { readonly description?: string; handler: Callback }): void {
    this.shortcuts.set(String(key), definition);
    this.#changed();
  }

  flag(flag: FlagShape): void {
    this.flags.set(flag.name, plain(flag));
    this.#changed();
  }

  renderer(type: string, renderer: Callback): void {
    this.renderers.set(type, renderer);
    this.#changed();
  }

  entryRenderer(type: string, renderer: Callback): void {
    this.entryRenderers.set(type, renderer);
    this.#changed();
  }

  toolRenderer(name: string, renderer: Pick<ToolDefinition, 'renderCall' | 'renderResult'>): void {
    this.toolRenderers.set(name, renderer);
    this.#changed();
  }

  toolResolver(resolver: Callback): void {
    this.toolResolvers.push(resolver);
    this.#changed();
  }

  transformer(transform: Callback): void {
    this.transformers.push(transform);
    this.#changed();
  }

  thoughtRenderer(renderer: unknown): void {
    if (typeof renderer !== 'function') throw new TypeError('a renderer of thoughts is a function');
    this.thoughtRenderers.push(renderer as Callback);
    this.#changed();
  }

  virtualModel(definition: VirtualModelDefinition): void {
    if (typeof definition?.route !== 'function') throw new TypeError('a virtual model needs a function "route"');
    const { provider, id } = virtualModelShape(definition);
    this.virtualModels.set(`${provider}/${id}`, definition);
    this.#changed();
  }

  removeVirtualModel(provider: string, id: string): void {
    if (this.virtualModels.delete(`${provider}/${id}`)) this.#changed();
  }

  mcpServer(name: string, config: unknown): void {
    this.mcpServers.set(name, checkServer(name, config));
    this.#changed();
  }

  removeMcpServer(name: string): void {
    if (this.mcpServers.delete(name)) this.#changed();
  }

  /** It listens to the bus from now on. */
  noteListening(): void {
    if (this.listens) return;
    this.listens = true;
    this.#changed();
  }

  provider(name: string, definition: ProviderDefinition | undefined): void {
    if (definition) this.providers.set(name, definition);
    else this.providers.delete(name);
    this.#changed();
  }

  setLabel(label: string): void {
    this.label = label;
    this.#changed();
  }

  /** All of it, as data. */
  shape(): ExtensionShape {
    const sessionEvents = [...this.tools.values()].some(({ definition }) => definition.onSession)
      ? ['tool_session']
      : [];
    const events = [...this.handlers].filter(([, list]) => list.length > 0).map(([event]) => event);
    return {
      ...(this.label !== undefined && { label: this.label }),
      events: [...events, ...sessionEvents],
      tools: [...this.tools.values()].map(({ definition }) => toolShape(definition)),
      commands: [...this.commands].map(([name, { description, getArgumentCompletions }]) => ({
        name,
        completes: getArgumentCompletions !== undefined,
        ...(description !== undefined && { description: String(description) }),
      })),
      shortcuts: [...this.shortcuts].map(([key, { description }]) => ({
        key,
        ...(description !== undefined && { description: String(description) }),
      })),
      flags: [...this.flags.values()],
      renderers: [...this.renderers.keys()],
      entryRenderers: [...this.entryRenderers.keys()],
      toolRenderers: [...this.toolRenderers.keys(), ...(this.toolResolvers.length > 0 ? [ANY_TOOL] : [])],
      transformsMarkdown: this.transformers.length > 0,
      drawsThoughts: this.thoughtRenderers.length > 0,
      listens: this.listens,
      providers: [...this.providers].map(([name, definition]) => providerShape(name, definition)),
      virtualModels: [...this.virtualModels.values()].map(virtualModelShape),
      mcpServers: [...this.mcpServers].map(([name, config]) => ({ name, config })),
    };
  }
}
