/** Which tools a session starts with, and which ones a search finds. */
import { type Entry, type JsonSchema, type Logger, messageOf } from '@tenon/kernel';
import { SEARCH_TOOL, type Tool, type ToolCatalogue, type ToolChoice, type ToolData, type ToolMatch } from './api.ts';
import { createFinder, type FinderHost } from './tool-finder.ts';
import { ToolIndex, type WeightedText, wordsOf } from './tool-index.ts';
import { errors } from './errors.ts';
import type { ToolsSettings } from './generated/settings.ts';

/** What the catalogue needs from the kernel. */
export interface CatalogueHost extends FinderHost {
  readonly config: ToolsSettings;
  readonly log: Logger;
  /** Tells the user that tools did not fit. */
  overBudget(names: readonly string[]): void;
}

/** Characters per token, on the safe side for JSON. */
const CHARS_PER_TOKEN = 3.6;
const WEIGHTS = { name: 6, summary: 2, keyword: 2, key: 1, description: 0.5 } as const;
const SUMMARY_CHARS = 200;

/** A tool whose code is there. */
interface Loaded {
  readonly name: string;
  readonly data: Partial<ToolData>;
  readonly plugin: string;
  readonly tool: Tool;
}

/** Makes the catalogue over the slot. */
export function createCatalogue(host: CatalogueHost): ToolCatalogue {
  const { registry, config } = host;
  return {
    ...createFinder(host),
    budget: config.schemaBudget,
    costOf,
    async standard(budget = config.schemaBudget) {
      const entries = registry.list();
      const hidden = entries.filter(({ data }) => data['discoverable'] === true).length;
      const offered = entries.filter(({ key, data }) => data['discoverable'] !== true && key !== SEARCH_TOOL);
      const chosen = chooseWithin(await load(host, offered), config.essential, budget - (await searchCost(host)));
      const isUseful = config.discovery && hidden + chosen.overBudget.length > 0 && registry.get(SEARCH_TOOL);
      // A small window is no fault of the settings: that less is offered then needs no warning.
      if (chosen.overBudget.length > 0 && budget >= config.schemaBudget) host.overBudget(chosen.overBudget);
      return isUseful ? { ...chosen, names: [...chosen.names, SEARCH_TOOL] } : chosen;
    },
    async search(query, except) {
      if (wordsOf(query).length === 0) throw errors.create('TOOLS_QUERY_EMPTY');
      const skipped = new Set([...except, SEARCH_TOOL]);
      const loaded = await load(
        host,
        registry.list().filter(({ key }) => !skipped.has(key)),
      );
      const index = new ToolIndex(loaded.map((entry) => ({ name: entry.name, texts: textsOf(entry) })));
      const byName = new Map(loaded.map((entry) => [entry.name, entry]));
      const matches = index.search(query).flatMap(({ name, score }): ToolMatch[] => {
        const hit = byName.get(name);
        return hit ? [{ name, summary: summaryOf(hit), plugin: hit.plugin, keys: keysOf(hit.tool), score }] : [];
      });
      return { matches, total: loaded.length };
    },
  };
}

/** The estimated tokens of a tool's name, description and schema. */
function costOf(name: string, { description, parameters }: Pick<Tool, 'description' | 'parameters'>): number {
  return Math.ceil(JSON.stringify({ name, description, parameters }).length / CHARS_PER_TOKEN);
}

async function searchCost({ registry }: CatalogueHost): Promise<number> {
  return registry.get(SEARCH_TOOL) ? costOf(SEARCH_TOOL, await registry.resolve(SEARCH_TOOL)) : 0;
}

/** The essential ones in the order of the setting, then the others, each if there is still room for it. */
function chooseWithin(loaded: readonly Loaded[], essential: readonly string[], budget: number): ToolChoice {
  const rank = ({ name }: Loaded) => {
    const at = essential.indexOf(name);
    return at < 0 ? essential.length : at;
  };
  const ordered = [...loaded].sort((a, b) => rank(a) - rank(b));
  const costs = new Map(ordered.map(({ name, tool }) => [name, costOf(name, tool)]));
  const total = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  if (total <= budget) return { names: loaded.map(({ name }) => name), overBudget: [] };
  let room = budget;
  const chosen = new Set<string>();
  for (const [name, cost] of costs) {
    if (cost > room) continue;
    chosen.add(name);
    room -= cost;
  }
  return {
    names: loaded.map(({ name }) => name).filter((name) => chosen.has(name)),
    overBudget: ordered.map(({ name }) => name).filter((name) => !chosen.has(name)),
  };
}

/** A tool whose plugin does not start is left out: it must not keep the others from being used. */
async function load({ registry, log }: CatalogueHost, entries: readonly Entry<Tool>[]): Promise<Loaded[]> {
  const loaded = await Promise.all(
    entries.map(async ({ key, data, source }): Promise<Loaded | undefined> => {
      try {
        return { name: key, data: data as Partial<ToolData>, plugin: source.plugin, tool: await registry.resolve(key) };
      } catch (fault) {
        log.warn(`the tool "${key}" is left out: ${messageOf(fault)}`, { plugin: source.plugin });
        return undefined;
      }
    }),
  );
  return loaded.filter((entry) => entry !== undefined);
}

function textsOf(entry: Loaded): WeightedText[] {
  return [
    { text: entry.name, weight: WEIGHTS.name },
    { text: summaryOf(entry), weight: WEIGHTS.summary },
    { text: entry.plugin, weight: WEIGHTS.key },
    ...(entry.data.keywords ?? []).map((text) => ({ text, weight: WEIGHTS.keyword })),
    ...keysOf(entry.tool).map((text) => ({ text, weight: WEIGHTS.key })),
    { text: entry.tool.description, weight: WEIGHTS.description },
  ];
}

function summaryOf({ data, tool }: Loaded): string {
  return data.summary ?? tool.description.slice(0, SUMMARY_CHARS);
}

function keysOf({ parameters }: Tool): string[] {
  const { properties } = parameters as JsonSchema & { readonly properties?: Readonly<Record<string, unknown>> };
  return Object.keys(properties ?? {});
}
