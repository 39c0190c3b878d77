/** Reads what tools print. The rules see only what a model would see. */

/** One line that a search found. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  /** What edits name the line by; undefined when the tool shows plain numbers. */
  readonly anchor: string | undefined;
  readonly text: string;
  /** False for lines of context. */
  readonly isMatch: boolean;
}

const ROW = /^([* ])(\d+)([a-z]{2})?\|(.*)$/;

/** The lines of `search` and `ast_grep`; `path` is the file when only one was looked into. */
export function readFoundLines(output: string, path = ''): FoundLine[] {
  let [folder, current] = ['', path];
  const lines: FoundLine[] = [];
  for (const row of output.split('\n')) {
    const heading = /^(#{1,2}) (.+)$/.exec(row);
    if (heading?.[1] === '#') {
      const name = heading[2] ?? '';
      folder = name.endsWith('/') ? name : '';
      current = name;
      continue;
    }
    if (heading?.[1] === '##') {
      current = `${folder}${heading[2] ?? ''}`;
      continue;
    }
    const [, mark, line, hash, text] = ROW.exec(row) ?? [];
    if (mark === undefined || line === undefined || text === undefined) continue;
    const anchor = hash === undefined ? undefined : `${line}${hash}`;
    lines.push({ path: current, line: Number(line), anchor, text, isMatch: mark === '*' });
  }
  return lines;
}

/** The paths that `find` printed. */
export function readPaths(output: string): string[] {
  return output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:No files found|Skipped missing paths|\[)/.test(line));
}

/** Text that `read` printed, without anchors, and where it goes on. */
export function readFileText(output: string): { readonly text: string; readonly next: number | undefined } {
  if (output === '(empty file)') return { text: '', next: undefined };
  const note = /\n\n(?:\[[^\n]*\]\n)*\[Showing lines [^\n]*? Use [^\n]*?:(\d+)(?::raw)? to continue\.\]$/.exec(output);
  const body = note ? output.slice(0, note.index) : output;
  const text = body
    .replace(/^\[Path '[^\n]*via suffix match\]\n/, '')
    .replace(/\n\n\[[^\n]*elided regions;[^\n]*\]$/, '');
  return { text, next: note?.[1] === undefined ? undefined : Number(note[1]) };
}

/** Rows with anchors as rows with line numbers. */
export function withoutAnchors(text: string): string {
  return text.replace(/^(\d+)[a-z]{2}(?:\.\.(\d+)[a-z]{2})?\|/gm, (_, from: string, to?: string) =>
    to === undefined ? `${from}: ` : `${from}-${to}: `,
  );
}

/** Where the next page of `search` or `ast_grep` starts, if there is one. */
export function nextPage(output: string): number | undefined {
  const skip = /\buse skip: (\d+)/i.exec(notesIn(output))?.[1];
  return skip === undefined ? undefined : Number(skip);
}

/** True when a result was cut because it was too long: what is missing cannot be paged to. */
export function isCut(output: string): boolean {
  return /^\[The result is cut\b/m.test(notesIn(output));
}

/** What a tool says beside the lines it found. */
function notesIn(output: string): string {
  return output
    .split('\n')
    .filter((row) => !ROW.test(row) && !/^[#+-]|^meta: /.test(row))
    .join('\n');
}

/** True for a line of which only a part is shown. */
export function isShortened({ text }: FoundLine): boolean {
  return text.length > 1000 && /^…|…$/.test(text);
}

/** Files that a structural tool could not parse, by its own words. */
export function unparsedFiles(output: string, paths: readonly string[]): string[] {
  const issues = /^Parse issues:\n([\s\S]*)$/m.exec(output)?.[1] ?? '';
  return paths.filter((path) => issues.split('\n').some((line) => line.startsWith(`- ${path}: `)));
}
