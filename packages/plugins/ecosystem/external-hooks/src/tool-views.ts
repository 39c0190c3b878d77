/** Calls of our tools as facts that every dialect has words for, and the way back for what a hook changes. */
import { isAbsolute, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { resolvePath, type Touches } from '@tenon/tools/api';
import type { ToolFacts } from './occasion.ts';

/** What a call is about. */
export type ViewKind =
  | 'shell'
  | 'read'
  | 'write'
  | 'edit'
  | 'glob'
  | 'grep'
  | 'fetch'
  | 'web-search'
  | 'todo'
  | 'ask'
  | 'subagent'
  | 'mcp'
  | 'other';

/** One call, or the part of one that is about one file. */
export interface ToolView {
  readonly kind: ViewKind;
  readonly values: Readonly<Record<string, unknown>>;
}

const KINDS: Readonly<Record<string, ViewKind>> = {
  bash: 'shell',
  read: 'read',
  write: 'write',
  edit: 'edit',
  ast_edit: 'edit',
  find: 'glob',
  search: 'grep',
  fetch: 'fetch',
  web_search: 'web-search',
  todo_write: 'todo',
  ask: 'ask',
  task: 'subagent',
};

/** What a call is about. */
export function kindOf(tool: string): ViewKind {
  return KINDS[tool] ?? (tool.startsWith('mcp__') ? 'mcp' : 'other');
}

/** The views of a call: several when it is about several files, because hooks of other tools expect one at a time. */
export function viewsOf(
  { tool, input, touches }: Pick<ToolFacts, 'tool' | 'input' | 'touches'>,
  cwd: string,
): readonly ToolView[] {
  const kind = kindOf(tool);
  const single = (values: Readonly<Record<string, unknown>>): ToolView[] => [{ kind, values }];
  switch (kind) {
    case 'shell': {
      const folder = typeof input['cwd'] === 'string' ? resolvePath(cwd, input['cwd']) : cwd;
      const timeoutMs = typeof input['timeout'] === 'number' ? input['timeout'] * 1000 : undefined;
      return single(present({ command: text(input['command']), folder, timeoutMs, background: input['async'] }));
    }
    case 'read': {
      const { path, offset, limit } = splitSelector(text(input['path']));
      return single(present({ file: only(touches.reads) ?? pathAt(cwd, path), offset, limit }));
    }
    case 'write': {
      const file = only(touches.writes) ?? pathAt(cwd, text(input['path']));
      const content = text(input['content']);
      return single({ file, content, patch: addPatch(file, content) });
    }
    case 'edit':
      return editViews(input, touches, cwd).map((values) => ({ kind, values }));
    case 'glob':
      return paths(input).map((path) => ({ kind, values: globOf(cwd, path) }));
    case 'grep':
      return paths(input).map((path) => {
        const { pattern, i: ignoreCase } = input;
        const where = isGlob(path) ? { path: cwd, glob: path } : { path: pathAt(cwd, path) };
        return { kind, values: present({ pattern, ignoreCase, ...where, output: 'content' }) };
      });
    case 'fetch':
      return single({ url: text(input['url']), prompt: '' });
    case 'web-search':
      return single(present({ query: input['query'], only: input['domains'], except: input['exclude_domains'] }));
    case 'ask':
    case 'todo':
    case 'subagent':
    case 'mcp':
    case 'other':
      return single({ tool, input });
  }
}

/** The input of our tool for a view that a hook has changed; undefined when that cannot be expressed. */
export function inputFrom(
  { tool, input }: Pick<ToolFacts, 'tool' | 'input'>,
  before: ToolView,
  after: ToolView,
): Record<string, unknown> | undefined {
  const changed = Object.keys(after.values).filter((key) => !isDeepStrictEqual(before.values[key], after.values[key]));
  if (changed.length === 0) return { ...input };
  const only = (...keys: string[]) => changed.every((key) => keys.includes(key));
  const { values } = after;
  const change = (keys: Readonly<Record<string, readonly [string, unknown]>>): Record<string, unknown> | undefined =>
    only(...Object.keys(keys))
      ? { ...input, ...Object.fromEntries(changed.flatMap((key) => (keys[key] ? [keys[key]] : []))) }
      : undefined;
  switch (kindOf(tool)) {
    case 'shell':
      return change({
        command: ['command', values['command']],
        folder: ['cwd', values['folder']],
        timeoutMs: ['timeout', Number(values['timeoutMs']) / 1000],
        background: ['async', values['background'] === true],
      });
    case 'read':
      return { ...input, path: joinSelector(values) };
    case 'write':
      return change({ file: ['path', values['file']], content: ['content', values['content']] });
    case 'fetch':
      // The prompt is for a model that our tool does not ask.
      return only('url', 'prompt') ? { ...input, url: values['url'] } : undefined;
    case 'web-search':
      return change({
        query: ['query', values['query']],
        only: ['domains', values['only']],
        except: ['exclude_domains', values['except']],
      });
    case 'grep':
      return change({ pattern: ['pattern', values['pattern']], ignoreCase: ['i', values['ignoreCase']] });
    case 'glob':
      return { ...input, paths: [resolve(text(values['folder']), text(values['pattern']))] };
    case 'edit':
      return undefined;
    default:
      return { ...(values['input'] as Record<string, unknown>) };
  }
}

/** What a path in the input stands for; addresses stay as they are. */
function pathAt(cwd: string, path: string): string {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path) ? path : resolvePath(cwd, path);
}

function splitSelector(selector: string): { path: string; offset?: number; limit?: number } {
  const range = /^(.+?):(\d+)(?:([-+])(\d+))?$/.exec(selector);
  if (!range) return { path: selector.replace(/:raw$/, '') };
  const [, path = selector, from = '1', sign, to] = range;
  const offset = Number(from);
  if (to === undefined) return { path, offset };
  return { path, offset, limit: sign === '+' ? Number(to) : Number(to) - offset + 1 };
}

function joinSelector({ file, offset, limit }: Readonly<Record<string, unknown>>): string {
  if (typeof offset !== 'number' && typeof limit !== 'number') return text(file);
  const from = typeof offset === 'number' ? Math.max(1, offset) : 1;
  return `${text(file)}:${from}${typeof limit === 'number' ? `+${limit}` : ''}`;
}

const isGlob = (path: string) => /[*?[{]/.test(path);

function globOf(cwd: string, path: string): Record<string, unknown> {
  if (!isGlob(path)) return { pattern: '**/*', folder: pathAt(cwd, path) };
  return { pattern: path, folder: isAbsolute(path) ? '/' : cwd };
}

function paths(input: ToolFacts['input']): readonly string[] {
  const list = Array.isArray(input['paths']) ? input['paths'].map(text) : [];
  return list.length > 0 ? list : ['.'];
}

function only(paths: readonly string[] = []): string | undefined {
  return paths.length === 1 ? paths[0] : undefined;
}

interface TextChange {
  readonly old_string: string;
  readonly new_string: string;
}

function editViews(
  input: ToolFacts['input'],
  { writes = [], searches = [] }: Touches,
  cwd: string,
): Record<string, unknown>[] {
  const path = text(input['path'] ?? input['file']);
  const named = path === '' ? [] : [pathAt(cwd, path)];
  // A preview of a change names what it looks through; a tool of an extension may declare nothing.
  const touched = [writes, searches, named].find(({ length }) => length > 0) ?? [];
  const files = new Map<string, TextChange[]>(touched.map((file) => [file, []]));
  for (const edit of list(input['edits'])) {
    const change = { old_string: text(edit['old_text']), new_string: text(edit['new_text']) };
    files.get(pathAt(cwd, text(edit['path']) || path))?.push(change);
  }
  const ops = list(input['ops']).map((op) => ({ old_string: text(op['pat']), new_string: text(op['out']) }));
  const whole = [input['input'], input['patch'], input['diff']].filter((part) => typeof part === 'string');
  for (const changes of files.values())
    changes.push(...ops, ...whole.map((patch) => ({ old_string: '', new_string: patch })));
  // An edit whose file is not understood is still shown to hooks.
  if (files.size === 0) files.set('', [{ old_string: '', new_string: JSON.stringify(input) }]);
  return [...files].map(([file, edits]) => ({
    file,
    old: edits[0]?.old_string ?? '',
    new: edits[0]?.new_string ?? '',
    all: false,
    edits,
    patch: updatePatch(file, edits),
  }));
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item): item is Record<string, unknown> => typeof item === 'object') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function present(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function addPatch(file: string, content: string): string {
  const lines = content.split('\n').map((line) => `+${line}`);
  return ['*** Begin Patch', `*** Add File: ${file}`, ...lines, '*** End Patch'].join('\n');
}

function updatePatch(file: string, edits: readonly TextChange[]): string {
  const hunks = edits.flatMap(({ old_string: old, new_string: now }) =>
    old === ''
      ? now.split('\n')
      : ['@@', ...old.split('\n').map((line) => `-${line}`), ...now.split('\n').map((line) => `+${line}`)],
  );
  return ['*** Begin Patch', `*** Update File: ${file}`, ...hunks, '*** End Patch'].join('\n');
}
