/** The files that the input of a tool names. */
import { resolvePath } from '@tenon/tools/api';

const PATH_KEYS =
  /^(?:paths?|files?|file_?paths?|target_?file|notebook_?path|output|old_path|new_path|rename|to|from)$/i;

/** Paths inside of edits: `@@ file`, `*** Update File: file`, `*** Move to: file`. */
const EDIT_HEADER = /^(?:@@ +|\*\*\* (?:Add|Update|Delete) File: +|\*\*\* Move to: +)(.+?)\s*$/;

/** True for names of parameters that hold paths. */
export function isPathKey(key: string): boolean {
  return PATH_KEYS.test(key);
}

/** The path in a line of an edit, if the line names one. */
export function pathInEditLine(line: string): string | undefined {
  return EDIT_HEADER.exec(line)?.[1];
}

/** The absolute path for what a model wrote; undefined for addresses. The part that selects lines is taken off. */
export function filePathOf(given: string, cwd: string): string | undefined {
  const path = given.trim();
  if (path === '' || path.length > 4096 || /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(path)) return undefined;
  return resolvePath(cwd, path.replace(/(?::(?:\d+(?:[-+]\d*)?|raw|conflicts))+$/i, ''));
}

/** Every file that a finished input names, absolute. */
export function callPaths(tool: string, input: Readonly<Record<string, unknown>>, cwd: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (depth > 6 || found.length > 200) return;
    if (typeof value === 'string') {
      if (isPathKey(key)) found.push(value);
      else if (tool === 'edit')
        for (const line of value.split('\n')) found.push(...[pathInEditLine(line) ?? []].flat());
    } else if (Array.isArray(value)) for (const item of value) visit(item, key, depth + 1);
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) visit(item, name, depth + 1);
  };
  visit(input, '', 0);
  return [...new Set(found.flatMap((path) => filePathOf(path, cwd) ?? []))];
}
