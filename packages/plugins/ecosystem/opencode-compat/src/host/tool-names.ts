/** Calls of Tenon's tools as plugins of OpenCode expect them: its names of tools, and the file of a call as `filePath`. */
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallEvent } from '@tenon/tools/api';

type Fields = Readonly<Record<string, unknown>>;

const NAMES: Readonly<Record<string, string>> = {
  search: 'grep',
  find: 'glob',
  fetch: 'webfetch',
  web_search: 'websearch',
  todo_write: 'todowrite',
};

/** The name that OpenCode has for a tool. */
export function foreignName(tool: string): string {
  return NAMES[tool] ?? tool;
}

/** The arguments of a call, once for each file that it is about: a guard must see all of them. */
export function foreignArguments({
  tool,
  input,
  touches,
}: Pick<ToolCallEvent, 'tool' | 'input' | 'touches'>): Fields[] {
  const files = tool === 'read' ? touches.reads : ['write', 'edit'].includes(tool) ? touches.writes : undefined;
  const named = typeof input['path'] === 'string' && ['read', 'write'].includes(tool) ? [input['path']] : [];
  const paths = files && files.length > 0 ? files : named;
  if (paths.length > 0) return paths.map((filePath) => ({ ...structuredClone(input), filePath }));
  const [path] = Array.isArray(input['paths']) ? (input['paths'] as unknown[]) : [];
  const extra = path === undefined ? {} : tool === 'find' ? { pattern: path } : tool === 'search' ? { path } : {};
  return [{ ...structuredClone(input), ...extra }];
}

/** The input that a plugin has made of a call: what it changed, in Tenon's words. Throws for a change that the tool has no words for. */
export function ownArguments(tool: string, input: Fields, before: Fields, after: Fields): Fields {
  // What was put there for the plugin goes away again, and an input of the same name comes back.
  const added = Object.keys(before).filter((name) => !isDeepStrictEqual(before[name], input[name]));
  const kept = Object.entries(after).filter(([name]) => !added.includes(name));
  const own = added.filter((name) => name in input).map((name) => [name, input[name]] as const);
  const changed: Record<string, unknown> = Object.fromEntries([...kept, ...own]);
  for (const name of added) {
    if (isDeepStrictEqual(before[name], after[name])) continue;
    const isPath = name === 'filePath' && 'path' in input;
    if (!isPath) throw new Error(`a plugin changed "${name}" of the tool ${tool}, which cannot be changed here`);
    changed['path'] = after[name];
  }
  return isDeepStrictEqual(changed, input) ? input : changed;
}
