/** The tools that the model may use in one session: chosen ones of the slot, those found by search, and those of the embedding program. */
import { type Disposable, disposable, type Registry } from '@tenon/kernel';
import type { ModelTool } from '@tenon/models/api';
import {
  SEARCH_TOOL,
  type Tool,
  type ToolBox,
  type ToolCatalogue,
  type ToolData,
  type ToolModel,
  type Touches,
  touchesOf,
} from '@tenon/tools/api';
import { errors } from './errors.ts';
import { modelSchema } from './model-schema.ts';

interface UsableTool {
  readonly tool: Tool;
  readonly data: Partial<ToolData>;
}

/** Which tools were found by search, kept with the session so that they are there again when it goes on. */
export interface FoundTools {
  readonly names: readonly string[];
  keep(names: readonly string[]): Promise<unknown>;
}

/** What a tool set may use beside the slot. */
export interface ToolSetParts {
  readonly catalogue: ToolCatalogue;
  /** The folder whose MCP servers and extensions may bring tools. */
  readonly cwd: string;
  readonly foundTools: FoundTools;
  /** How many tokens the window of the model leaves for them. */
  room(): number;
}

/** The tools in use. */
export class ToolSet implements ToolBox {
  readonly #registry: Registry<Tool>;
  readonly #parts: ToolSetParts;
  /** Tools of the slot. One that is not there at the moment is not offered; it is again once its server or extension is back. */
  #names: readonly string[] = [];
  /** The model in use: some tools have another form for some models. */
  model: (() => ToolModel) | undefined;
  #hostTools: ReadonlyMap<string, Tool> = new Map();
  #selected: readonly string[] = [];
  /** What the session began with; nothing when somebody chose its tools. */
  #standard: readonly string[] | undefined;
  /** For the moments in which a plugin is loaded anew: the model must not lose sight of its tools. */
  readonly #lastSeen = new Map<string, Tool>();
  /** Several plugins, and several searches of a model, change the tools at once; each change builds on the one before. */
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(registry: Registry<Tool>, parts: ToolSetParts) {
    this.#registry = registry;
    this.#parts = parts;
  }

  /** Chooses tools by name; without names, what the catalogue offers from the start. */
  static async create(
    registry: Registry<Tool>,
    names: readonly string[] | undefined,
    parts: ToolSetParts,
  ): Promise<ToolSet> {
    const set = new ToolSet(registry, parts);
    if (names) await set.choose(names);
    else {
      set.#standard = (await parts.catalogue.standard(set.#budget)).names;
      await set.#use(set.#standard);
    }
    if (set.has(SEARCH_TOOL)) await set.#restore(parts.foundTools.names);
    return set;
  }

  /** Uses exactly these, by name or pattern; tools of the embedding program stay. */
  async choose(names: readonly string[]): Promise<void> {
    const wanted = names.filter((name) => this.#registry.get(name) || !this.#hostTools.has(name));
    // Before its turn: extensions that are loaded for it may themselves add tools.
    const result = await this.#parts.catalogue.find({ cwd: this.#parts.cwd, names: wanted });
    if (result.unknown) {
      const { name, hint } = result.unknown;
      throw errors.create('AGENT_TOOL_UNKNOWN', { tool: name, hint });
    }
    await this.#inTurn(() => {
      // What was found before and is still being waited for is nothing that whoever chooses could have named.
      const awaited = this.#selected.filter((name) => !this.#registry.get(name));
      return this.#use(result.names.includes(SEARCH_TOOL) ? [...result.names, ...awaited] : result.names);
    });
  }

  /**
   * Adds tools to those that a session began with, in this order, as many as there is room for; the rest can be found by
   * search. A session whose tools somebody chose keeps to them. Disposing takes back what was added.
   */
  add(names: readonly string[], budget?: number): Promise<Disposable> {
    return this.#inTurn(async () => {
      const added = this.#isOpen ? await this.#fitting(names, budget) : [];
      if (added.length > 0) await this.#use([...this.#names, ...added]);
      return disposable(() => this.#inTurn(() => this.#use(this.#names.filter((name) => !added.includes(name)))));
    });
  }

  active(): readonly string[] {
    return this.names();
  }

  selected(): readonly string[] {
    return this.#selected.filter((name) => this.has(name));
  }

  activate(names: readonly string[]): Promise<{ activated: readonly string[]; putBack: readonly string[] }> {
    return this.#inTurn(() => this.#activateNow(names));
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#lastChange.then(change);
    this.#lastChange = changed.catch(() => undefined); // Whoever asked for it is told.
    return changed;
  }

  /** Starts the plugins of these tools and uses them. */
  async #use(names: readonly string[]): Promise<void> {
    const present = names.filter((name) => this.#registry.get(name));
    const tools = await Promise.all(present.map((name) => this.#registry.resolve(name)));
    tools.forEach((tool, index) => this.#lastSeen.set(present[index] ?? '', tool));
    this.#names = [...new Set(names)];
    this.#selected = this.#selected.filter((name) => this.#names.includes(name));
  }

  get #budget(): number {
    return Math.min(this.#parts.catalogue.budget, this.#parts.room());
  }

  /** False when somebody chose the tools, at the beginning or later. */
  get #isOpen(): boolean {
    return this.#standard?.every((name) => this.#names.includes(name)) ?? false;
  }

  /** Those of the names that are not in use yet and for which there is room. */
  async #fitting(names: readonly string[], budget?: number): Promise<string[]> {
    const wanted = [...new Set(names)].filter((name) => this.#registry.get(name));
    const others = [...this.#own()].filter(([name]) => !wanted.includes(name));
    let room = budget ?? this.#budget - this.#costOf(others);
    const fitting: string[] = [];
    for (const name of wanted) {
      const cost = this.#parts.catalogue.costOf(name, await this.#registry.resolve(name));
      if (cost > room) continue;
      room -= cost;
      fitting.push(name);
    }
    const search = fitting.length < wanted.length && this.#registry.get(SEARCH_TOOL) ? [SEARCH_TOOL] : [];
    return [...fitting, ...search].filter((name) => !this.#names.includes(name));
  }

  async #activateNow(names: readonly string[]): Promise<{ activated: readonly string[]; putBack: readonly string[] }> {
    const wanted = [...new Set(names)].filter((name) => !this.has(name) && this.#registry.get(name));
    const { activated, putBack } = await this.#fit(wanted);
    if (activated.length === 0) return { activated, putBack };
    const selected = [...this.#selected.filter((name) => !putBack.includes(name)), ...activated];
    await this.#use([...this.#names.filter((name) => !putBack.includes(name)), ...activated]);
    this.#selected = selected;
    await this.#parts.foundTools.keep(selected);
    return { activated, putBack };
  }

  /** The best of what was found always gets in; for it, those found longest ago make room. The others only if there is room. */
  async #fit(wanted: readonly string[]): Promise<{ activated: string[]; putBack: string[] }> {
    const { catalogue } = this.#parts;
    const own = this.#own();
    let room = this.#budget - this.#costOf([...own]);
    const activated: string[] = [];
    const putBack: string[] = [];
    for (const name of wanted) {
      const cost = catalogue.costOf(name, await this.#registry.resolve(name));
      for (const old of activated.length === 0 ? this.#selected : []) {
        if (cost <= room) break;
        putBack.push(old);
        const { tool } = own.get(old) ?? {};
        room += tool ? catalogue.costOf(old, tool) : 0;
      }
      if (cost > room && activated.length > 0) continue;
      activated.push(name);
      room -= cost;
    }
    return { activated, putBack };
  }

  #costOf(tools: readonly (readonly [string, UsableTool])[]): number {
    return tools.reduce((sum, [name, { tool }]) => sum + this.#parts.catalogue.costOf(name, tool), 0);
  }

  /** Tools whose plugin does not start any more are left out; the session must still open. */
  async #restore(names: readonly string[]): Promise<void> {
    const isUsable = (name: string) =>
      this.#registry.get(name) === undefined ||
      this.#registry.resolve(name).then(
        () => true,
        () => false,
      );
    const usable = await Promise.all(names.map(async (name) => ((await isUsable(name)) ? [name] : [])));
    const added = usable.flat().filter((name) => !this.#names.includes(name));
    await this.#use([...this.#names, ...added]);
    this.#selected = added;
  }

  setHostTools(tools: Readonly<Record<string, Tool>>): void {
    this.#hostTools = new Map(Object.entries(tools));
  }

  /** The tool of the embedding program under this name, if there is one. */
  hostTool(name: string): Tool | undefined {
    return this.#hostTools.get(name);
  }

  has(name: string): boolean {
    return this.#hostTools.has(name) || (this.#names.includes(name) && this.#usable(name) !== undefined);
  }

  names(): string[] {
    return [...this.#all().keys()];
  }

  /** A tool of the slot as it is there now: servers and extensions change their tools, and take them back. */
  #usable(name: string): UsableTool | undefined {
    const entry = this.#registry.get(name);
    const found = entry?.value ?? this.#lastSeen.get(name);
    if (!entry || !found) return undefined;
    const model = this.model?.();
    return { tool: (model && found.forModel?.(model)) ?? found, data: entry.data };
  }

  #own(): Map<string, UsableTool> {
    return new Map(
      this.#names.flatMap((name) => {
        const usable = this.#usable(name);
        return usable ? [[name, usable] as const] : [];
      }),
    );
  }

  #all(): Map<string, UsableTool> {
    const host = [...this.#hostTools].map(([name, tool]): [string, UsableTool] => [name, { tool, data: {} }]);
    return new Map([...this.#own(), ...host]);
  }

  /** What to tell a model that calls a tool which it cannot use. */
  missing(name: string): string {
    const isHidden = this.#registry.get(name) !== undefined && this.has(SEARCH_TOOL);
    return isHidden
      ? `The tool "${name}" is not active in this session. Find it with ${SEARCH_TOOL}, then call it again.`
      : `There is no tool "${name}". The tools are: ${this.names().join(', ')}.`;
  }

  /** Tools that change things run alone, unless they say otherwise. */
  isExclusive(name: string): boolean {
    const { exclusive, risk } = (!this.#hostTools.has(name) && this.#usable(name)?.data) || {};
    return exclusive ?? (risk === 'write' || risk === 'exec');
  }

  /** Whether the results of a tool stay when a long conversation is shortened. */
  keepsResult(name: string): boolean {
    return this.#usable(name)?.data.keepResult === true;
  }

  /** What an earlier call has touched, as far as its tool can still say it. */
  async touched(name: string, input: Readonly<Record<string, unknown>>): Promise<Touches> {
    const tool = this.#hostTools.get(name) ?? this.#usable(name)?.tool;
    if (!tool) return {};
    const scope = { session: '', cwd: this.#parts.cwd };
    try {
      // Files of then may be gone: they are not looked for.
      return await touchesOf(tool, input, { signal: new AbortController().signal, scope, partial: true });
    } catch {
      return {}; // The call failed then, too.
    }
  }

  modelTools(): ModelTool[] {
    return [...this.#all()].map(([name, { tool }]) => {
      const { description, parameters } = tool;
      return { name, description, parameters: modelSchema(parameters) };
    });
  }

  /** One line for each, for the system prompt. */
  summaries(): { name: string; summary: string }[] {
    return [...this.#all()].map(([name, { tool, data }]) => ({
      name,
      summary: data.summary ?? firstLine(tool.description),
    }));
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
