/** The part between two `---` lines at the top of a Markdown file. It is data: nothing in it is ever run. */
import { parseDocument } from 'yaml';

/** A Markdown file in its two parts. */
export interface Frontmatter {
  readonly data: Readonly<Record<string, unknown>>;
  /** The text without the frontmatter, trimmed. */
  readonly body: string;
  /** What is wrong with the frontmatter; `data` then holds what could be saved. */
  readonly problem?: string;
}

const LIMIT = 64 * 1024;
const MAX_KEYS = 200;
const FENCE = /^---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;

/** Splits a Markdown text. Frontmatter in a programming language (`---js`) is reported and stays what it is: text. */
export function splitFrontmatter(text: string): Frontmatter {
  const whole = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const opening = FENCE.exec(whole);
  if (!opening) {
    const language = /^---([a-zA-Z]\w*)[ \t]*\r?\n/.exec(whole)?.[1];
    const problem = language && `it is written in "${language}", and only YAML is read; nothing in it is run`;
    return { data: {}, body: whole.trim(), ...(problem && { problem }) };
  }
  const rest = whole.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (!closing) return { data: {}, body: whole.trim(), problem: 'the closing `---` is missing' };
  const source = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length).trim();
  if (source.length > LIMIT) return { data: {}, body, problem: `it is longer than ${LIMIT} characters` };
  return { body, ...parseData(source) };
}

function parseData(source: string): Omit<Frontmatter, 'body'> {
  const whole = parseYaml(source);
  if ('problem' in whole) return parseByKey(source, whole.problem);
  const data = whole.value;
  if (data === null || data === undefined) return { data: {} };
  if (typeof data !== 'object' || Array.isArray(data)) return { data: {}, problem: 'it is not a list of `key: value`' };
  return { data: data as Record<string, unknown> };
}

function parseYaml(source: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    const document = parseDocument(source, { logLevel: 'silent', uniqueKeys: false });
    const [fault] = [...document.errors, ...document.warnings];
    return fault ? { problem: firstLine(fault.message) } : { value: document.toJS({ maxAliasCount: 50 }) as unknown };
  } catch (fault) {
    return { problem: firstLine(fault instanceof Error ? fault.message : String(fault)) };
  }
}

/**
 * One key at a time: other tools accept `description: Use it: always`, `globs: *.css,*.scss` and `argument-hint: [a] [b]`,
 * which are no YAML. Such a line means the text that it holds; what makes no sense as a line either is a problem.
 */
function parseByKey(source: string, problem: string): Omit<Frontmatter, 'body'> {
  const entries: (readonly [string, unknown])[] = [];
  let isWhole = true;
  const chunks = source.split(/^(?=[A-Za-z_][\w-]*[ \t]*:)/m);
  if (chunks.length > MAX_KEYS) return { data: {}, problem };
  for (const chunk of chunks) {
    if (chunk.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) continue;
    const [, key, value = '', rest = ''] = /^([A-Za-z_][\w-]*)[ \t]*:[ \t]*([^\n]*)\n?([\s\S]*)$/.exec(chunk) ?? [];
    const parsed = parseYaml(chunk);
    if (key !== undefined && 'value' in parsed && isObject(parsed.value)) entries.push([key, parsed.value[key]]);
    else if (key !== undefined && rest.trim() === '' && isPlainText(value)) entries.push([key, value.trim()]);
    else isWhole = false;
  }
  const data = Object.fromEntries(entries);
  return isWhole ? { data } : { data, problem };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A line whose quotes and brackets are closed, and that does not ask for a YAML type or a block. */
function isPlainText(value: string): boolean {
  const count = (char: string) => value.split(char).length - 1;
  const isClosed = count('[') === count(']') && count('{') === count('}') && !/^["']/.test(value);
  return isClosed && !/^[!&|>%@`]/.test(value) && !value.includes('\t');
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line.replace(/:\s*$/, '');
}
