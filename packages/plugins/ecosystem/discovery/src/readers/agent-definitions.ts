import { basename } from 'node:path';
import { Fields, present } from '../fields.ts';
import type { AgentDefinition } from '../kinds.ts';
import type { Origin, Search } from '../search.ts';

/** How a tool keeps its subagents. */
export interface AgentOptions {
  readonly ending?: string;
  readonly deep?: boolean;
}

const KNOWN = new Set([
  'name',
  'description',
  'tools',
  'model',
  'thinking',
  'thinkingLevel',
  'thinking-level',
  'spawns',
  'output',
]);

/** Subagents of a folder: Markdown whose text is the system prompt. */
export async function readAgents(
  search: Search<AgentDefinition>,
  folder: Origin,
  options: AgentOptions = {},
): Promise<void> {
  const ending = options.ending ?? '.md';
  const all = await search.tree(folder, [ending]);
  const files = all.filter(({ parts }) => options.deep === true || parts.length === 1);
  const documents = await search.each(files, ({ place }) => search.markdown(place));
  for (const [index, { place }] of files.entries()) {
    const document = documents[index];
    if (document) addAgent(search, place, document.data, document.body, basename(place.path, ending));
  }
}

/** A subagent that is a file of its own. */
export async function readAgent(search: Search<AgentDefinition>, place: Origin): Promise<void> {
  const document = await search.markdown(place);
  if (document) addAgent(search, place, document.data, document.body, basename(place.path, '.md'));
}

/** Adds a subagent from its fields and its prompt. */
export function addAgent(
  search: Search<AgentDefinition>,
  place: Origin,
  data: Readonly<Record<string, unknown>>,
  systemPrompt: string,
  fallbackName: string,
  part?: string,
): void {
  const fields = new Fields(data, (what) => search.wrong(place, what));
  const name = fields.text('name') ?? fallbackName;
  const description = fields.text('description')?.trim() ?? '';
  const off = toolsOff(fields);
  const metadata = {
    ...(off.length > 0 && { disallowedTools: off }),
    ...Object.fromEntries(Object.entries(data).filter(([key]) => !KNOWN.has(key))),
  };
  const agent: AgentDefinition = {
    name,
    path: place.path,
    description,
    systemPrompt,
    metadata,
    ...present({
      tools: toolsOf(fields),
      model: fields.text('model'),
      thinking: fields.text('thinking', 'thinkingLevel', 'thinking-level', 'model_reasoning_effort', 'reasoningEffort'),
      spawns: spawnsOf(fields),
      output: fields.any('output'),
    }),
  };
  const ignored = description === '' ? 'it has no description, so nobody could tell when to use it' : undefined;
  search.add({
    key: name,
    value: agent,
    place,
    ...(part !== undefined && { part }),
    ...(ignored !== undefined && { ignored }),
  });
}

/** A list, a text with commas, or (OpenCode) an object of tools that are on or off. */
function toolsOf(fields: Fields): readonly string[] | undefined {
  const value = fields.any('tools');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fields.texts('tools');
  const on = Object.entries(value).flatMap(([name, is]) => (is === true ? [name] : []));
  return on.length > 0 ? on : undefined;
}

/** What such an object switches off, under the name that Claude Code has for a list of it. */
function toolsOff(fields: Fields): readonly string[] {
  const value = fields.any('tools');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, is]) => (is === false ? [name] : []));
}

function spawnsOf(fields: Fields): readonly string[] | undefined {
  const value = fields.any('spawns');
  return value === true ? ['*'] : value === false ? [] : fields.texts('spawns');
}
