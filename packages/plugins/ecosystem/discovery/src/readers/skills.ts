import { basename, dirname } from 'node:path';
import type { Skill } from '../kinds.ts';
import { Fields, present } from '../fields.ts';
import { inside, type Origin, type Search } from '../search.ts';

/** How a tool keeps its skills. */
export interface SkillOptions {
  /** Skills without a description are not used. */
  readonly needsDescription?: boolean;
  /** Markdown files directly in the folder are skills too. */
  readonly singleFiles?: boolean;
  /** Why the tool itself would not use a skill. */
  readonly refuse?: (name: string, file: string) => string | undefined;
  readonly priority?: number;
}

/** Skills of a folder: `<folder>/<name>/SKILL.md`. Only the frontmatter is kept; the body is read when it is needed. */
export async function readSkills(search: Search<Skill>, folder: Origin, options: SkillOptions = {}): Promise<void> {
  const entries = (await search.list(folder)).filter(({ name }) => !name.startsWith('.'));
  const places: Origin[] = [];
  for (const { name, path, type } of entries) {
    const place = { ...folder, path };
    if (options.singleFiles === true && name.endsWith('.md')) places.push(place);
    else if (type === 'folder' || (type === undefined && isFolder(search, place)))
      places.push(inside(place, 'SKILL.md'));
  }
  const additions = await search.each(places, (place) => skillIn(search, place, options));
  for (const add of additions) add?.();
}

function isFolder(search: Search<Skill>, { path }: Origin): boolean {
  const { stamp, problem } = search.files.look(path);
  search.report(problem);
  return stamp?.type === 'folder';
}

/** One SKILL.md. */
export async function readSkill(search: Search<Skill>, place: Origin, options: SkillOptions = {}): Promise<void> {
  (await skillIn(search, place, options))?.();
}

async function skillIn(search: Search<Skill>, place: Origin, options: SkillOptions): Promise<(() => void) | undefined> {
  const document = await search.markdown(place, 'head');
  if (!document) return undefined;
  const folder = dirname(place.path);
  const ownName = basename(place.path) === 'SKILL.md' ? basename(folder) : basename(place.path, '.md');
  const fields = new Fields(document.data, (what) => search.wrong(place, what));
  const name = fields.text('name') ?? ownName;
  const description = fields.text('description')?.trim() ?? '';
  const metadata: Record<string, unknown> = {};
  for (const key of Object.keys(document.data)) if (!KNOWN.has(key)) define(metadata, key, document.data[key]);
  const skill: Skill = {
    name,
    description,
    file: place.path,
    folder,
    metadata,
    ...present({
      allowedTools: toolNames(fields, 'allowed-tools', 'allowedTools'),
      triggers: fields.texts('triggers'),
      priority: fields.number('priority'),
      globs: fields.texts('globs'),
      alwaysApply: fields.flag('alwaysApply', 'always-apply'),
    }),
  };
  const missing = description === '' && options.needsDescription === true ? 'it has no description' : undefined;
  const ignored = missing ?? options.refuse?.(name, place.path);
  return () =>
    search.add({
      key: name,
      value: skill,
      place,
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(ignored !== undefined && { ignored }),
    });
}

/** A key may be called anything, `__proto__` too. */
function define(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(record, key, { value, enumerable: true });
  else record[key] = value;
}

const KNOWN = new Set(['name', 'description', 'triggers', 'priority', 'globs', 'alwaysApply', 'always-apply']);

/** The Agent Skills format separates tools by spaces, Claude Code by commas. */
export function toolNames(fields: Fields, ...names: readonly string[]): readonly string[] | undefined {
  const value = fields.any(...names);
  if (typeof value !== 'string' || value.includes(',')) return fields.texts(...names);
  return splitAtSpaces(value);
}

/** `Bash(git:*) Read` has two; the space in `Bash(git add:*)` separates nothing. */
function splitAtSpaces(text: string): readonly string[] {
  return text.match(/[^\s(]+(?:\([^()]*\))?/g) ?? [];
}
