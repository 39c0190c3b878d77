/** How a call of a tool looks in an editor. */
import { resolve } from 'node:path';
import type { Diff, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { ToolContent, ToolResult } from '@tenon/tools/api';
import { cutText, plainLine, plainText } from '@tenon/wording';

type Fields = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  bash: 'execute',
  eval: 'execute',
  search: 'search',
  find: 'search',
  grep: 'search',
  ast_grep: 'search',
  tool_search: 'search',
  fetch: 'fetch',
  web_search: 'fetch',
  todo_write: 'think',
  ask: 'think',
  submit_plan: 'switch_mode',
};
/** Parts of an input that say in one line what a call does, the first that is there. */
const TITLES = ['command', 'path', 'file', 'pattern', 'query', 'url', 'title', 'prompt', 'name'];
const MAX_TITLE = 200;
const MAX_TEXT = 100_000;

/** What kind of work a tool does. */
export function kindOf(tool: string): ToolKind {
  return KINDS[tool] ?? 'other';
}

/** One line about a call; the files are those that it changes, where they are known. */
export function titleOf(tool: string, args: unknown, files: readonly string[] = []): string {
  const input = fieldsOf(args);
  const words = TITLES.map((name) => input[name]).find((value) => typeof value === 'string' && value.trim() !== '');
  const text = plainLine(typeof words === 'string' ? words.trim() : files.join(', '));
  const shown = tool === 'bash' && text !== '' ? text : [plainLine(tool), text].filter(Boolean).join(' ');
  return cutText(shown, MAX_TITLE);
}

/** The files that a call is about, so that an editor can follow along. */
export function locationsOf(tool: string, args: unknown, cwd: string): ToolCallLocation[] {
  const { path, file } = fieldsOf(args);
  const given = typeof path === 'string' ? path : typeof file === 'string' ? file : '';
  const isFile = given !== '' && ['read', 'write', 'edit', 'search', 'find'].includes(tool) && !/^\w+:\/\//.test(given);
  if (!isFile) return [];
  const [, name = given, line] = /^(.+?):(\d+)(?:-\d*)?(?::\w+)?$/.exec(given) ?? [];
  return [{ path: resolve(cwd, name), ...(line !== undefined && { line: Number(line) }) }];
}

/** The content of a result; what is too long for a card is cut. */
export function contentOf({ content }: Pick<ToolResult, 'content'>): ToolCallContent[] {
  return content.map((part) => ({ type: 'content', content: blockOf(part) }));
}

function blockOf(part: ToolContent): Extract<ToolCallContent, { type: 'content' }>['content'] {
  if (part.type === 'image') return { type: 'image', data: part.data, mimeType: part.mimeType };
  const text = plainText(part.text);
  return { type: 'text', text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n…` : text };
}

/** A file that a tool has changed. */
export interface ChangedFile {
  readonly path: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

const MAX_DIFF_BYTES = 512 * 1024;

/** A change as a diff; nothing for one that is too long or no text. */
export function diffOf({ path, before, after }: ChangedFile): (Diff & { type: 'diff' }) | undefined {
  if ((before?.length ?? 0) > MAX_DIFF_BYTES || (after?.length ?? 0) > MAX_DIFF_BYTES) return undefined;
  const [oldText, newText] = [before && textOf(before), after && textOf(after)];
  if ((before && oldText === undefined) || (after && newText === undefined)) return undefined;
  return { type: 'diff', path, oldText: oldText ?? null, newText: newText ?? '' };
}

/** Bytes as text; nothing when they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // It is no text, which the caller says.
  }
}

/** Text as a block of Markdown that nothing in it can end. */
export function codeBlock(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A value as an object of fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
