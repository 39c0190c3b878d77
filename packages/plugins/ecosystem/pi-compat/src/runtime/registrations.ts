/** What one extension registered: kept here, told to Tenon as data. */
import { ANY_TOOL } from '../protocol.ts';
import type { ExtensionShape, FlagShape, ProviderShape, ToolShape } from '../protocol.ts';
import { plain } from './plain.ts';
import { toJsonSchema } from './schema.ts';

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
  readonly providers = new Map<string, ProviderDefinition>();
  /** Whether it listens to the bus that extensions share. */
  listens = false;
  label: string | undefined;
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Adds a handler; the result takes it away again. */
  on(event: string, handler: unknown): () => void {
    if (typeof handler !== 'function') throw new TypeError(`the handler of "${event}" is no function`);
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
    if (!/^\S+$/.test(plainName)) throw new TypeError(`"${name}" is no name of a command`);
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
      listens: this.listens,
      providers: [...this.providers].map(([name, definition]) => providerShape(name, definition)),
    };
  }
}

function toolShape(tool: ToolDefinition): ToolShape {
  let parameters: Record<string, unknown>;
  try {
    parameters = toJsonSchema(tool.parameters);
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new TypeError(`the parameters of the tool "${tool.name}" are no schema that is understood: ${reason}`, {
      cause: fault,
    });
  }
  const { approval, executionMode } = tool;
  return {
    name: tool.name,
    label: String(tool.label ?? tool.name),
    description: String(tool.description ?? ''),
    parameters,
    inactive: tool.hidden === true || tool.defaultInactive === true,
    guidelines: (tool.promptGuidelines ?? []).map(String),
    renders: tool.renderCall !== undefined || tool.renderResult !== undefined,
    ...((approval === 'read' || approval === 'write' || approval === 'exec') && { approval }),
    ...(executionMode !== undefined && { sequential: executionMode === 'sequential' }),
  };
}

function providerShape(name: string, definition: ProviderDefinition): ProviderShape {
  const { baseUrl, api, apiKey, headers, models = [], streamSimple, oauth, authHeader } = definition;
  // A name of a variable, or the key itself. Variables are looked up here: a sandbox shows only those that were granted.
  const key = apiKey === undefined ? undefined : (process.env[apiKey.replace(/^\$/, '')] ?? apiKey);
  const bearer = authHeader === true && key !== undefined ? { Authorization: `Bearer ${key}` } : {};
  const all = { ...headers, ...bearer };
  return {
    name,
    streams: typeof streamSimple === 'function',
    logsIn: oauth !== undefined,
    models: models.map((model) => modelShape(plain(model))),
    ...(definition.name !== undefined && { title: String(definition.name) }),
    ...(baseUrl !== undefined && { baseUrl: String(baseUrl) }),
    ...(api !== undefined && { api: String(api) }),
    ...(key !== undefined && { apiKey: key }),
    ...(Object.keys(all).length > 0 && { headers: all }),
  };
}

function modelShape(model: Record<string, unknown>): ProviderShape['models'][number] {
  const cost = (model['cost'] ?? {}) as Record<string, unknown>;
  const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
  const { api, baseUrl, headers } = model;
  return {
    id: String(model['id']),
    name: String(model['name'] ?? model['id']),
    reasoning: model['reasoning'] === true,
    input: Array.isArray(model['input']) && model['input'].includes('image') ? ['text', 'image'] : ['text'],
    cost: {
      input: number(cost['input'], 0),
      output: number(cost['output'], 0),
      cacheRead: number(cost['cacheRead'], 0),
      cacheWrite: number(cost['cacheWrite'], 0),
    },
    contextWindow: number(model['contextWindow'], 128_000),
    maxTokens: number(model['maxTokens'], 16_384),
    ...(typeof api === 'string' && { api }),
    ...(typeof baseUrl === 'string' && { baseUrl }),
    ...(headers !== undefined && { headers: headers as Record<string, string> }),
  };
}
