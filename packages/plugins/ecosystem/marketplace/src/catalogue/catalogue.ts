/**
 * Reads a catalogue: `.claude-plugin/marketplace.json`, Codex's `.agents/plugins/marketplace.json` or a JSON file at an address.
 * What is wrong with one entry does not concern the others.
 */
import { messageOf, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { nameProblem } from './names.ts';
import { parsePluginSource, type PluginSource, relativePath, type SourceRules } from './sources.ts';

/** A larger catalogue is refused. */
export const MAX_CATALOGUE_BYTES = 4 * 1024 * 1024;

const MAX_ENTRIES = 5_000;

/** What an entry may say about the inside of its plugin. */
export const COMPONENTS = [
  'commands',
  'agents',
  'skills',
  'hooks',
  'mcpServers',
  'lspServers',
  'outputStyles',
] as const;

/** One plugin of a catalogue. */
export interface CatalogueEntry {
  readonly name: string;
  readonly source: PluginSource;
  readonly description?: string;
  readonly version?: string;
  readonly author?: string;
  readonly homepage?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** False: the entry says all about the inside of the plugin, and its own manifest must not. */
  readonly strict: boolean;
  readonly components: Readonly<Record<string, unknown>>;
}

/** A catalogue that was read. */
export interface Catalogue {
  readonly name: string;
  readonly owner: string;
  readonly description?: string;
  readonly plugins: readonly CatalogueEntry[];
  /** Entries that cannot be used, each with the reason. */
  readonly problems: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the text of a catalogue. `file` names it in complaints. */
export function parseCatalogue(text: string, file: string, rules: SourceRules): Catalogue {
  const invalid = (reason: string, cause?: unknown) =>
    errors.create('MARKETPLACE_CATALOGUE_INVALID', { file, reason }, cause);
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (fault) {
    throw invalid(`it is not valid JSON (${messageOf(fault)})`, fault);
  }
  if (!isFields(content)) throw invalid('it is not an object');
  const problem = nameProblem(content['name']);
  if (problem !== undefined) throw invalid(`its "name" cannot be used: ${problem}`);
  const owner = ownerName(content);
  if (owner === undefined) throw invalid('it has no "owner" with a "name"');
  const list = content['plugins'];
  if (!Array.isArray(list)) throw invalid('it has no list "plugins"');
  if (list.length > MAX_ENTRIES) throw invalid(`it has more than ${MAX_ENTRIES} plugins`);
  const metadata = isFields(content['metadata']) ? content['metadata'] : {};
  const description = textOf(content, 'description') ?? textOf(metadata, 'description');
  let root = '';
  try {
    root = relativePath(textOf(metadata, 'pluginRoot') ?? '', '');
  } catch (fault) {
    throw invalid(`"metadata.pluginRoot" cannot be used: ${messageOf(fault)}`, fault);
  }
  return {
    name: content['name'] as string,
    owner,
    ...(description !== undefined && { description }),
    ...readEntries(list, root, rules),
  };
}

/** Codex's catalogues name no owner, but may have a name to show. */
function ownerName(content: Fields): string | undefined {
  const { owner, interface: shown, plugins } = content;
  const name = isFields(owner) ? textOf(owner, 'name') : textOf(content, 'owner');
  if (name !== undefined) return name;
  if (isFields(shown)) return textOf(shown, 'displayName') ?? textOf(content, 'name');
  const isCodex = Array.isArray(plugins) && plugins.some((plugin) => isFields(plugin) && isFields(plugin['policy']));
  return isCodex ? textOf(content, 'name') : undefined;
}

function readEntries(
  list: readonly unknown[],
  root: string,
  rules: SourceRules,
): Pick<Catalogue, 'plugins' | 'problems'> {
  const plugins: CatalogueEntry[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const label =
      isFields(item) && typeof item['name'] === 'string' ? JSON.stringify(item['name']) : `number ${index + 1}`;
    try {
      const entry = readEntry(item, root, rules);
      if (seen.has(entry.name)) throw new Error('another plugin has the same name');
      seen.add(entry.name);
      plugins.push(entry);
    } catch (fault) {
      if (!(fault instanceof Error)) throw fault;
      problems.push(`plugin ${label}: ${fault instanceof TenonError ? fault.message : messageOf(fault)}`);
    }
  }
  return { plugins, problems };
}

function readEntry(given: unknown, root: string, rules: SourceRules): CatalogueEntry {
  if (!isFields(given)) throw new Error('it is not an object');
  const problem = nameProblem(given['name']);
  if (problem !== undefined) throw new Error(`its name cannot be used: ${problem}`);
  const policy = isFields(given['policy']) ? given['policy'] : {};
  if (policy['installation'] === 'NOT_AVAILABLE') throw new Error('its catalogue says that it cannot be installed');
  const author = isFields(given['author']) ? textOf(given['author'], 'name') : textOf(given, 'author');
  const tags = [given['tags'], given['keywords']].flat().filter((tag) => typeof tag === 'string');
  const texts = {
    description: textOf(given, 'description'),
    version: textOf(given, 'version'),
    author,
    homepage: textOf(given, 'homepage') ?? textOf(given, 'repository'),
    category: textOf(given, 'category'),
  };
  const components = COMPONENTS.filter((key) => given[key] !== undefined && given[key] !== null);
  return {
    name: given['name'] as string,
    source: parsePluginSource(given['source'], root, rules),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    tags: [...new Set(tags)].slice(0, 50),
    strict: given['strict'] !== false,
    components: Object.fromEntries(components.map((key) => [key, given[key]])),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, 4_000) : undefined;
}
