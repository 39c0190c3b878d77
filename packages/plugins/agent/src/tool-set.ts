/** The tools that the model may use in one session: chosen ones of the slot, and those of the embedding program. */
import { didYouMean, type Registry } from '@tenon/kernel';
import type { ModelTool } from '@tenon/models/api';
import type { Tool, ToolData } from '@tenon/tools/api';
import { errors } from './errors.ts';

interface ActiveTool {
  readonly tool: Tool;
  readonly data: Partial<ToolData> & { readonly exclusive?: boolean };
  readonly fromHost: boolean;
}

/** The tools in use. */
export class ToolSet {
  readonly #registry: Registry<Tool>;
  #active = new Map<string, ActiveTool>();

  private constructor(registry: Registry<Tool>) {
    this.#registry = registry;
  }

  /** Chooses tools by name; without names, all that are not marked as found by search only. */
  static async create(registry: Registry<Tool>, names?: readonly string[]): Promise<ToolSet> {
    const set = new ToolSet(registry);
    const standard = registry.list().filter(({ data }) => data['discoverable'] !== true);
    await set.choose(names ?? standard.map(({ key }) => key));
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

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
