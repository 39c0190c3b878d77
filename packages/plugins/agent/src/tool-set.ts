/** The tools that the model may use in one session: chosen ones of the slot, those found by search, and those of the embedding program. */
import { didYouMean, type Registry } from '@tenon/kernel';
import type { ModelTool } from '@tenon/models/api';
import { SEARCH_TOOL, type Tool, type ToolBox, type ToolCatalogue, type ToolData } from '@tenon/tools/api';
import { errors } from './errors.ts';

interface ActiveTool {
  readonly tool: Tool;
  readonly data: Partial<ToolData> & { readonly exclusive?: boolean };
  readonly fromHost: boolean;
}

/** Which tools were found by search, kept with the session so that they are there again when it goes on. */
export interface FoundTools {
  readonly names: readonly string[];
  keep(names: readonly string[]): Promise<unknown>;
}

/** What a tool set may use beside the slot. */
export interface ToolSetParts {
  readonly catalogue?: ToolCatalogue;
  readonly found?: FoundTools;
}

/** The tools in use. */
export class ToolSet implements ToolBox {
  readonly #registry: Registry<Tool>;
  readonly #parts: ToolSetParts;
  #active = new Map<string, ActiveTool>();
  #selected: readonly string[] = [];
  /** Models search several times at once; each activation builds on the one before. */
  #lastActivation: Promise<unknown> = Promise.resolve();

  private constructor(registry: Registry<Tool>, parts: ToolSetParts) {
    this.#registry = registry;
    this.#parts = parts;
  }

  /** Chooses tools by name; without names, what the catalogue offers from the start. */
  static async create(registry: Registry<Tool>, names?: readonly string[], parts: ToolSetParts = {}): Promise<ToolSet> {
    const set = new ToolSet(registry, parts);
    const chosen = names ?? (await parts.catalogue?.standard())?.names ?? offered(registry);
    await set.choose(chosen);
    if (set.has(SEARCH_TOOL)) await set.#restore(parts.found?.names ?? []);
    return set;
  }

  async choose(names: readonly string[]): Promise<void> {
    const known = new Map(this.#registry.list().map((entry) => [entry.key, entry]));
    const host = [...this.#active].filter(([, { fromHost }]) => fromHost);
    const unknown = names.find((name) => !known.has(name) && !host.some(([key]) => key === name));
    if (unknown !== undefined) {
      throw errors.create('AGENT_TOOL_UNKNOWN', { tool: unknown, hint: didYouMean(unknown, known.keys()) });
    }
    const chosen = await Promise.all(
      names
        .filter((name) => known.has(name))
        .map(async (name): Promise<[string, ActiveTool]> => {
          const data = (known.get(name)?.data ?? {}) as ActiveTool['data'];
          return [name, { tool: await this.#registry.resolve(name), data, fromHost: false }];
        }),
    );
    this.#active = new Map([...chosen, ...host]);
    this.#selected = this.#selected.filter((name) => this.#active.has(name));
  }

  active(): readonly string[] {
    return this.names();
  }

  selected(): readonly string[] {
    return this.#selected;
  }

  activate(names: readonly string[]): Promise<{ activated: readonly string[]; putBack: readonly string[] }> {
    const activation = this.#lastActivation.then(() => this.#activateNow(names));
    this.#lastActivation = activation.catch(() => undefined); // Whoever asked for it is told.
    return activation;
  }

  async #activateNow(names: readonly string[]): Promise<{ activated: readonly string[]; putBack: readonly string[] }> {
    const wanted = [...new Set(names)].filter((name) => !this.has(name) && this.#registry.get(name));
    const { activated, putBack } = await this.#fit(wanted);
    if (activated.length === 0) return { activated, putBack };
    const selected = [...this.#selected.filter((name) => !putBack.includes(name)), ...activated];
    const kept = [...this.#active].filter(([name, { fromHost }]) => !fromHost && !putBack.includes(name));
    await this.choose([...kept.map(([name]) => name), ...activated]);
    this.#selected = selected;
    await this.#parts.found?.keep(selected);
    return { activated, putBack };
  }

  /** The best of what was found always gets in; for it, those found longest ago make room. The others only if there is room. */
  async #fit(wanted: readonly string[]): Promise<{ activated: string[]; putBack: string[] }> {
    const { catalogue } = this.#parts;
    if (!catalogue) return { activated: [...wanted], putBack: [] };
    const own = [...this.#active].filter(([, { fromHost }]) => !fromHost);
    const costs = new Map(own.map(([name, { tool }]) => [name, catalogue.costOf(name, tool)]));
    let room = catalogue.budget - [...costs.values()].reduce((sum, cost) => sum + cost, 0);
    const activated: string[] = [];
    const putBack: string[] = [];
    for (const name of wanted) {
      const cost = catalogue.costOf(name, await this.#registry.resolve(name));
      for (const old of activated.length === 0 ? this.#selected : []) {
        if (cost <= room) break;
        putBack.push(old);
        room += costs.get(old) ?? 0;
      }
      if (cost > room && activated.length > 0) continue;
      activated.push(name);
      room -= cost;
    }
    return { activated, putBack };
  }

  /** Tools whose plugin is gone or does not start any more are left out; the session must still open. */
  async #restore(names: readonly string[]): Promise<void> {
    const wanted = names.filter((name) => this.#registry.get(name) && !this.has(name));
    const usable = await Promise.all(
      wanted.map((name) =>
        this.#registry.resolve(name).then(
          () => [name],
          () => [],
        ),
      ),
    );
    await this.choose([...this.names(), ...usable.flat()]);
    this.#selected = usable.flat();
  }

  setHostTools(tools: Readonly<Record<string, Tool>>): void {
    const own = [...this.#active].filter(([, { fromHost }]) => !fromHost);
    const host = Object.entries(tools).map(([name, tool]): [string, ActiveTool] => [
      name,
      { tool, data: {}, fromHost: true },
    ]);
    this.#active = new Map([...own, ...host]);
  }

  /** The tool of the embedding program under this name, if there is one. */
  hostTool(name: string): Tool | undefined {
    const active = this.#active.get(name);
    return active?.fromHost ? active.tool : undefined;
  }

  has(name: string): boolean {
    return this.#active.has(name);
  }

  names(): string[] {
    return [...this.#active.keys()];
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
    const data = this.#active.get(name)?.data ?? {};
    return data.exclusive ?? (data.risk === 'write' || data.risk === 'exec');
  }

  modelTools(): ModelTool[] {
    return [...this.#active].map(
      ([
        name,
        {
          tool: { description, parameters },
        },
      ]) => ({ name, description, parameters }),
    );
  }

  /** One line for each, for the system prompt. */
  summaries(): { name: string; summary: string }[] {
    return [...this.#active].map(([name, { tool, data }]) => ({
      name,
      summary: data.summary ?? firstLine(tool.description),
    }));
  }
}

function offered(registry: Registry<Tool>): string[] {
  return registry
    .list()
    .filter(({ data }) => data['discoverable'] !== true)
    .map(({ key }) => key);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
