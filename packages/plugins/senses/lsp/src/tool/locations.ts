/** Places in code as results show them. */
import { readFile, stat } from 'node:fs/promises';
import { displayPath } from '@tenon/tools/api';
import { cutText, plainLine, plainText } from '@tenon/wording';
import { MAX_FILE_BYTES } from '../servers/language-server.ts';
import { TextDocument } from '../text-document.ts';
import { pathOfUri } from '../uris.ts';

/** A place in a file; line and column from 0. */
export interface Location {
  readonly path: string;
  readonly line: number;
  readonly character: number;
}

/** The most places that are taken from an answer. */
const MAX_LOCATIONS = 5_000;
/** How many places are shown with the lines around them. */
export const WITH_CONTEXT = 50;
const LINE_CHARS = 200;

/** The places of an answer: a location, a link, or a list of them. */
export function locationsOf(answer: unknown): Location[] {
  const list = Array.isArray(answer) ? answer.slice(0, MAX_LOCATIONS) : answer ? [answer] : [];
  const seen = new Set<string>();
  return list.flatMap((item: Record<string, unknown> | null) => {
    const uri = item?.['targetUri'] ?? item?.['uri'];
    const range = (item?.['targetSelectionRange'] ?? item?.['targetRange'] ?? item?.['range']) as
      | { start?: { line?: unknown; character?: unknown } }
      | undefined;
    const { line, character } = range?.start ?? {};
    const path = typeof uri === 'string' ? (pathOfUri(uri) ?? uri) : undefined;
    if (path === undefined || !Number.isInteger(line) || !Number.isInteger(character)) return [];
    const key = `${path}:${String(line)}:${String(character)}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ path, line: Number(line), character: Number(character) }];
  });
}

/** Rows for places: `path:line:col`, and for the first ones the line with one above and below. */
export async function locationRows(
  locations: readonly Location[],
  cwd: string,
  context = WITH_CONTEXT,
): Promise<string[]> {
  const rows: string[] = [];
  const files = new Map<string, TextDocument | undefined>();
  for (const [index, { path, line, character }] of locations.entries()) {
    rows.push(`${plainLine(displayPath(cwd, path))}:${line + 1}:${character + 1}`);
    if (index >= context) continue;
    if (!files.has(path)) files.set(path, await textOf(path));
    rows.push(...around(files.get(path), line));
  }
  return rows;
}

function around(document: TextDocument | undefined, line: number): string[] {
  if (!document) return [];
  return [line - 1, line, line + 1].flatMap((at) => {
    const text = at < 0 ? undefined : document.line(at);
    if (text === undefined) return [];
    return [`  ${at === line ? '>' : ' '}${at + 1}|${plainText(cutText(text, LINE_CHARS))}`];
  });
}

async function textOf(path: string): Promise<TextDocument | undefined> {
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) return undefined;
    return TextDocument.ofBytes(await readFile(path));
  } catch {
    return undefined; // A place in something that is no file here is shown without its text.
  }
}
