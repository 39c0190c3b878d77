/** The lines that a renaming by structure leaves: which of them to edit, and why the others stay. */
import { declares } from '../code/declarations.ts';
import { familyOf } from '../code/languages.ts';
import { type Occurrence, occurrencesOf } from '../code/occurrences.ts';
import type { FoundLine } from '../tool-output.ts';
import type { LineChange } from './reading.ts';

/** What is renamed. */
export interface RenameTarget {
  readonly old: string;
  readonly next: string;
  readonly kind: string;
  /** The file of the declaration. */
  readonly file: string;
  /** True when the file exports it under its own name, so that the name changes for those who import it. */
  readonly isExported: boolean;
}

/** A mention that stays. */
export interface Leftover {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly why: 'comment' | 'string' | 'member' | 'other';
}

/** What to do with the lines of one file. */
export interface PlannedLines {
  readonly changes: readonly LineChange[];
  readonly left: readonly Leftover[];
  readonly replaced: number;
}

const TYPE_KINDS = new Set(['class', 'interface', 'type', 'enum', 'struct', 'trait']);

/** Plans the lines of one file. `plain` lets ordinary mentions be edited here, where the parser was not asked. */
export function planLines(
  target: RenameTarget,
  path: string,
  text: string,
  found: readonly FoundLine[],
  options: { readonly plain: boolean },
): PlannedLines {
  const family = familyOf(path);
  const lines = text.split('\n');
  const places = family ? occurrencesOf(text, target.old, family) : [];
  const modules = modulesIn(text, target.file);
  const changes: LineChange[] = [];
  const left: Leftover[] = [];
  let replaced = 0;
  for (const { line, anchor } of found) {
    const shown = lines[line - 1] ?? '';
    const here = places.filter((place) => place.line === line);
    const taken = here.filter((place) => anchor !== undefined && isMeant(place, shown, target, modules, options.plain));
    for (const place of here.filter((other) => !taken.includes(other))) {
      const why =
        place.usage === 'comment' || place.usage === 'string' || place.usage === 'member' ? place.usage : 'other';
      left.push({ path, line, text: shown, why });
    }
    if (taken.length === 0 || anchor === undefined) continue;
    replaced += taken.length;
    changes.push({ path, anchor, text: replacedIn(shown, taken, target) });
  }
  return { changes, left, replaced };
}

function isMeant(
  place: Occurrence,
  line: string,
  { old, kind }: RenameTarget,
  modules: ReadonlySet<string>,
  plain: boolean,
): boolean {
  switch (place.usage) {
    case 'comment':
    case 'string':
      return false;
    case 'member':
      return kind === 'method' || (place.owner !== undefined && modules.has(place.owner));
    case 'shorthand':
      return kind !== 'method';
    case 'key':
      return false;
    case 'plain':
      if (kind === 'method') return declares(line, old) === 'method';
      return plain ? !isKeywordArgument(line, place, old) : TYPE_KINDS.has(kind) && !isMethodLike(line, place, old);
  }
}

/** `f(name=1)` names a parameter of `f`. */
function isKeywordArgument(line: string, { column }: Occurrence, name: string): boolean {
  return /[(,]\s*$/.test(line.slice(0, column)) && /^\s*=(?!=)/.test(line.slice(column + name.length));
}

/** A member of the same name among others: `Name() {` or `Name?: string;` at the start of a line. */
function isMethodLike(line: string, { column }: Occurrence, name: string): boolean {
  return /^\s*$/.test(line.slice(0, column)) && /^\s*(?:\(|\??:)/.test(line.slice(column + name.length));
}

/** Names under which a file knows the module of the declaration as a whole. */
function modulesIn(text: string, file: string): Set<string> {
  const isIt = (from: string) => isModule(from, file);
  const names = new Set<string>();
  const add = (name: string | undefined, from: string | undefined) => {
    if (name !== undefined && from !== undefined && isIt(from)) names.add(name);
  };
  if (file.endsWith('.go')) names.add(/([^/]+)\/[^/]+$/.exec(file)?.[1] ?? 'main');
  for (const [, name, from] of text.matchAll(/import\s+(?:type\s+)?\*\s+as\s+([\w$]+)\s+from\s+['"]([^'"]+)['"]/g))
    add(name, from);
  for (const [, name, from] of text.matchAll(
    /(?:const|let|var)\s+([\w$]+)\s*=\s*(?:await\s+import|require)\(\s*['"]([^'"]+)['"]/g,
  ))
    add(name, from);
  for (const [, from, alias] of text.matchAll(/^\s*import\s+([\w.]+)(?:\s+as\s+(\w+))?\s*$/gm))
    add(alias ?? from?.split('.').at(-1), from?.split('.').at(-1));
  for (const [, item, alias] of text.matchAll(/^\s*from\s+[\w.]+\s+import\s+(\w+)(?:\s+as\s+(\w+))?\s*$/gm))
    add(alias ?? item, item);
  return names;
}

/** True when an import of `from` can mean this file; only names are compared, not folders. */
function isModule(from: string, file: string): boolean {
  const module = /([^/]+?)(?:\.[^./]+)?$/.exec(file)?.[1] ?? '';
  const folder = module === 'index' || module === '__init__' ? (/([^/]+)\/[^/]+$/.exec(file)?.[1] ?? module) : module;
  return [module, folder].includes(/([^/.]+)(?:\.[cm]?[jt]sx?)?$/.exec(from)?.[1] ?? from);
}

/** The line with the meant places changed. A property keeps its name, so `{ a }` becomes `{ a: b }`. */
function replacedIn(
  line: string,
  places: readonly Occurrence[],
  { old, next, file, isExported }: RenameTarget,
): string {
  return places
    .toSorted((a, b) => b.column - a.column)
    .reduce((text, { column, usage, from }) => {
      // What is taken out of the module itself has the new name there, too.
      const isTaken = from !== undefined && isExported && isModule(from, file);
      const word = usage === 'shorthand' && !isTaken ? `${old}: ${next}` : next;
      return text.slice(0, column) + word + text.slice(column + old.length);
    }, line);
}
