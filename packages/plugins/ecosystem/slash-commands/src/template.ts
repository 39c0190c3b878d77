/** Takes the text of a command apart: what is text, what a shell runs, which files are put in. */
import type { Syntax } from './arguments.ts';

/** A part of a command's text. Placeholders for arguments are still in it. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'shell'; readonly command: string; readonly source: string }
  | { readonly kind: 'file'; readonly path: string; readonly source: string };

/** A block that begins with three backticks and `!`, `!` before a text in backticks, and `@path`. */
const MARKDOWN = /^```!\r?\n([\s\S]*?)\r?\n```[ \t]*$|!`([^`\n]+)`|(?<=^|[\s(])@([^\s`@]+)/gm;

/** Splits a text into its parts, in order. */
export function parseTemplate(body: string, syntax: Syntax): Part[] {
  return syntax === 'gemini' ? parseGemini(body) : parseMarkdown(body);
}

function parseMarkdown(body: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of body.matchAll(MARKDOWN)) {
    const [source, block, inline, mention] = match;
    const command = (block ?? inline)?.trim();
    // A full stop or a bracket behind a path belongs to the sentence.
    const path = mention?.replace(/[.,;:!?)\]}'"]+$/, '');
    const length = path === undefined ? source.length : path.length + 1;
    if ((command ?? path ?? '') === '') continue;
    parts.push({ kind: 'text', text: body.slice(at, match.index) });
    const own = body.slice(match.index, match.index + length);
    parts.push(
      command === undefined ? { kind: 'file', path: path ?? '', source: own } : { kind: 'shell', command, source: own },
    );
    at = match.index + length;
  }
  return [...parts, { kind: 'text', text: body.slice(at) }];
}

/** `!{command}` and `@{path}`, with braces inside counted. */
function parseGemini(body: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of body.matchAll(/[!@]\{/g)) {
    if (match.index < at) continue;
    const end = closingBrace(body, match.index + 1);
    const inner = end === undefined ? '' : body.slice(match.index + 2, end).trim();
    if (end === undefined || inner === '') continue;
    const source = body.slice(match.index, end + 1);
    parts.push({ kind: 'text', text: body.slice(at, match.index) });
    parts.push(
      source.startsWith('!') ? { kind: 'shell', command: inner, source } : { kind: 'file', path: inner, source },
    );
    at = end + 1;
  }
  return [...parts, { kind: 'text', text: body.slice(at) }];
}

function closingBrace(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return undefined;
}
