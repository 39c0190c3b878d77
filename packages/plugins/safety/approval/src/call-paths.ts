/** Which files and addresses the input of a call names. It must not see less than the tools do: a path that is missed here is not judged. */
import { existsSync } from 'node:fs';
import { cleanPath, type ToolCallEvent } from '@tenon/tools/api';
import { absolutePath } from './judge/places.ts';

const PATH_KEYS =
  /^(paths?|files?|file_?paths?|target|output|dest(ination)?|cwd|dir|folder|root|from|to|old_path|new_path|rename)$/i;
/** Parts of edits that are the text of a file, whatever they look like. */
const PLAIN_TEXT = /^(old_?text|new_?text|content|insert|kbd|diff)$/i;
/** The headers of a patch envelope. The blank before the path may be missing. */
const ENVELOPE_HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.*)$/s;
/** The header of a section with anchors: any number of `@`, with or without blanks around them. */
const ANCHOR_HEADER = /^\s*@+(.*)$/s;
const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

/** What a call names. */
export interface NamedThings {
  /** Absolute, each once. */
  readonly paths: readonly string[];
  /** Addresses on the web. */
  readonly addresses: readonly string[];
}

/** Everything that the input of a call names. */
export function namedIn(
  { tool, input }: Pick<ToolCallEvent, 'tool' | 'input'>,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): NamedThings {
  const given: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (PATH_KEYS.test(key)) given.push(value);
      else if (tool === 'edit' && !PLAIN_TEXT.test(key)) given.push(...pathsInEdit(value));
    } else if (Array.isArray(value)) for (const item of value) visit(item, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) visit(item, name);
  };
  visit(input, '');
  const cleaned = given.map((path) => cleanPath(path)).filter((path) => path !== '' && path !== '/dev/null');
  const paths = cleaned
    // A tool that does not know a scheme may take it for a folder, and `..` leads out of that.
    .filter((path) => !ADDRESS.test(path) || path.split(/[\\/]/).includes('..'))
    .map((path) => withoutSelector(absolutePath(path, cwd, home)));
  return { paths: [...new Set(paths)], addresses: cleaned.filter((path) => /^https?:\/\//i.test(path)) };
}

/** Lines end at line feeds only, as they do for the readers of edits: other breaks may be part of a path. */
function pathsInEdit(text: string): string[] {
  const found: string[] = [];
  let isEnvelope = false;
  for (const line of text.split('\n')) {
    const header = ENVELOPE_HEADER.exec(line);
    isEnvelope ||= header !== null;
    // Inside of an envelope `@@` is followed by a line of the file.
    const path = header ?? (isEnvelope ? null : ANCHOR_HEADER.exec(line));
    if (path) found.push(path[1] ?? '');
  }
  return found;
}

/** The file itself of `file:1-20`, `archive.zip:inner/file` and `data.db?q=…`: that is what links lead to. */
function withoutSelector(path: string): string {
  if (existsSync(path)) return path;
  for (let end = path.length; end > 0;) {
    end = Math.max(path.lastIndexOf(':', end - 1), path.lastIndexOf('?', end - 1));
    if (end > 0 && existsSync(path.slice(0, end))) return path.slice(0, end);
  }
  return path;
}
