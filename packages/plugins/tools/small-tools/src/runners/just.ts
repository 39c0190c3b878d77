/** Recipes of a justfile, read from its text and from the files that it imports. */
import { dirname, join } from 'node:path';
import type { RunnerTask, TaskRunner } from '../api.ts';
import { namesIn, quoted, readText } from './project-files.ts';

const MAX_IMPORTS = 20;

/** Tasks of just. */
export const justRunner: TaskRunner = {
  async tasks(folder) {
    // just takes the name in any case, with or without a dot.
    const file = (await namesIn(folder)).find(({ name, isFolder }) => !isFolder && /^\.?justfile$/i.test(name));
    return file ? collect(join(folder, file.name), new Set()) : [];
  },
};

async function collect(path: string, seen: Set<string>): Promise<RunnerTask[]> {
  if (seen.has(path) || seen.size >= MAX_IMPORTS) return [];
  seen.add(path);
  const text = await readText(path);
  if (text === undefined) return [];
  const { recipes, imports } = justRecipes(text);
  const byName = new Map(recipes.map((recipe) => [recipe.name, recipe]));
  for (const name of imports) {
    for (const recipe of await collect(join(dirname(path), name), seen)) {
      if (!byName.has(recipe.name)) byName.set(recipe.name, recipe);
    }
  }
  return [...byName.values()];
}

/** The recipes of one file; private ones (`_name`, `[private]`) are left out. */
export function justRecipes(text: string): { recipes: RunnerTask[]; imports: string[] } {
  const recipes: RunnerTask[] = [];
  const imports: string[] = [];
  let [doc, isPrivate]: [string | undefined, boolean] = [undefined, false];
  for (const line of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const imported = /^import\??\s+(['"])(.+)\1/.exec(line)?.[2];
    if (imported !== undefined) imports.push(imported);
    const attribute = /^\[(.+)\]\s*$/.exec(line)?.[1];
    if (attribute !== undefined) {
      isPrivate ||= /(?:^|,)\s*private\s*(?:,|$)/.test(attribute);
      doc = /doc\(\s*(['"])(.*?)\1\s*\)/.exec(attribute)?.[2] ?? doc;
      continue;
    }
    const remark = /^#(?!!)\s?(.*)$/.exec(line)?.[1]?.trim();
    if (remark !== undefined) {
      doc = remark;
      continue;
    }
    const alias = /^alias\s+([A-Za-z_][\w-]*)\s*:=\s*([A-Za-z_][\w-]*)/.exec(line);
    const head = /^@?([A-Za-z_][\w-]*)((?:\s+[^:]*?)?)\s*:(?!=)/.exec(line);
    const name = alias?.[1] ?? head?.[1];
    if (name !== undefined && !isPrivate && !name.startsWith('_')) {
      const parameters = alias ? [] : parameterNames(head?.[2] ?? '');
      const about = alias ? `alias for ${alias[2]}` : doc;
      recipes.push({
        name,
        command: `just ${quoted(name)}`,
        ...(about !== undefined && { doc: about }),
        ...(parameters.length > 0 && { parameters }),
      });
    }
    [doc, isPrivate] = [undefined, false];
  }
  return { recipes, imports };
}

function parameterNames(text: string): string[] {
  const plain = text.replaceAll(/=\s*(?:'[^']*'|"[^"]*"|`[^`]*`|\([^)]*\)|\S+)/g, '');
  return plain
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replace(/^[$]/, ''));
}
