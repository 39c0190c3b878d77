import { basename } from 'node:path';
import { Fields, present } from '../fields.ts';
import type { CommandFile } from '../kinds.ts';
import type { Origin, Search } from '../search.ts';
import { toolNames } from './skills.ts';

/** How a tool keeps its commands and prompts. */
export interface CommandOptions {
  readonly ending?: string;
  /** Only the folder itself, without those inside. */
  readonly flat?: boolean;
  /** What the names begin with: the plugin that brings the commands. */
  readonly namespace?: string;
  readonly priority?: number;
}

/** Commands of a folder: Markdown with frontmatter; folders inside become namespaces. */
export async function readCommands(
  search: Search<CommandFile>,
  folder: Origin,
  options: CommandOptions = {},
): Promise<void> {
  const ending = options.ending ?? '.md';
  const files = (await search.tree(folder, [ending])).filter(({ parts }) => !options.flat || parts.length === 1);
  const documents = await search.each(files, ({ place }) => search.markdown(place));
  for (const [index, { place, parts }] of files.entries()) {
    const document = documents[index];
    if (document) addCommand(search, place, document, nameOf(parts, ending, options), options);
  }
}

/** A command that is a file of its own. */
export async function readCommand(
  search: Search<CommandFile>,
  place: Origin,
  options: CommandOptions & { readonly name?: string } = {},
): Promise<void> {
  const document = await search.markdown(place);
  const name = options.name ?? basename(place.path, options.ending ?? '.md');
  if (document) addCommand(search, place, document, nameOf([name], '', options), options);
}

function nameOf(parts: readonly string[], ending: string, { namespace }: CommandOptions): string {
  const own = parts.join(':');
  const name = own.endsWith(ending) ? own.slice(0, own.length - ending.length) : own;
  return namespace === undefined ? name : `${namespace}:${name}`;
}

/** Adds a command from its frontmatter and text. */
export function addCommand(
  search: Search<CommandFile>,
  place: Origin,
  { data, body }: { readonly data: Readonly<Record<string, unknown>>; readonly body: string },
  name: string,
  options: Pick<CommandOptions, 'priority'> = {},
): void {
  const fields = new Fields(data, (what) => search.wrong(place, what));
  const { variables } = place;
  const command: CommandFile = {
    name,
    path: place.path,
    body,
    syntax: 'markdown',
    ...present({
      description: fields.text('description'),
      argumentHint: hintOf(fields),
      allowedTools: toolNames(fields, 'allowed-tools', 'allowedTools', 'tools'),
      model: fields.text('model'),
      variables,
    }),
  };
  const { priority } = options;
  search.add({ key: name, value: command, place, ...(priority !== undefined && { priority }) });
}

/** `argument-hint: [file] [lines]` is a list for YAML and one text for people. */
function hintOf(fields: Fields): string | undefined {
  const hint = fields.any('argument-hint', 'argumentHint');
  if (Array.isArray(hint))
    return hint.map((part) => `[${Array.isArray(part) ? part.join(' ') : String(part)}]`).join(' ');
  return fields.text('argument-hint', 'argumentHint');
}

/** Commands of Gemini: TOML with `prompt` and `description`; folders inside become namespaces. */
export async function readGeminiCommands(
  search: Search<CommandFile>,
  folder: Origin,
  options: Pick<CommandOptions, 'namespace'> = {},
): Promise<void> {
  const files = await search.tree(folder, ['.toml']);
  const records = await search.each(files, ({ place }) => search.record(place, 'toml'));
  for (const [index, { place, parts }] of files.entries()) {
    const record = records[index];
    if (!record) continue;
    const fields = new Fields(record, (what) => search.wrong(place, what));
    const body = fields.text('prompt');
    if (body === undefined) {
      if (!fields.has('prompt')) search.wrong(place, '"prompt" is missing');
      continue;
    }
    const name = nameOf(parts, '.toml', options);
    const { variables } = place;
    const description = fields.text('description');
    search.add({
      key: name,
      value: { name, path: place.path, body, syntax: 'gemini', ...present({ description, variables }) },
      place,
    });
  }
}
