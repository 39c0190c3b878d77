/**
 * JSON with comments and trailing commas, as most tools accept it. Reading needs no package: comments are blanked out and
 * JSON.parse does the rest, so that starting Tenon does not load one. Editing loads jsonc-parser.
 */

/** The way to a value: keys of objects. */
export type JsonPath = readonly [string, ...string[]];

/** One change; undefined removes the value. */
export type JsonEdit = readonly [path: JsonPath, value: unknown];

/** Parses; throws an error that names the line where the engine tells it. */
export function parseJsonc(text: string): unknown {
  const plain = blankOut(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
  try {
    return JSON.parse(plain) as unknown;
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    const position = /at position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? '' : `, line ${plain.slice(0, Number(position)).split('\n').length}`;
    const [what] = message.split(/,| in JSON| is not valid JSON/);
    throw new Error(`no valid JSON${line}: ${what}`, { cause: fault });
  }
}

/** Changes parts of a JSON object and leaves the rest of the text as it is, with all comments. Throws when it is no object. */
export async function editJsonc(text: string, edits: readonly JsonEdit[]): Promise<string> {
  const { setJson, removeJson } = await import('./jsonc-edit.ts');
  const edited = edits.reduce(
    (now, [path, value]) => (value === undefined ? removeJson(now, path) : setJson(now, path, value)),
    text,
  );
  if (edits.length > 0) parseJsonc(edited);
  return edited;
}

/**
 * The same text with blanks in place of comments and of commas before a closing bracket, so that positions stay. One pass,
 * whatever the text holds.
 */
function blankOut(text: string): string {
  const pieces: string[] = [];
  /** The piece with a comma after which only blanks and comments came so far. */
  let comma = -1;
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    const end = pieceEnd(text, at);
    const piece = text.slice(at, end);
    const isComment = char === '/' && end > at + 1;
    if ((char === '}' || char === ']') && comma >= 0) pieces[comma] = ' ';
    if (!isComment && !/\s/.test(char)) comma = char === ',' ? pieces.length : -1;
    pieces.push(isComment ? piece.replaceAll(/[^\n]/g, ' ') : piece);
    at = end;
  }
  return pieces.join('');
}

/** Where a string, a comment, or a single character ends. */
export function pieceEnd(text: string, start: number): number {
  const char = text[start];
  const next = text[start + 1];
  if (char === '/' && next === '/') return endAfter(text.indexOf('\n', start), 0, text);
  if (char === '/' && next === '*') return endAfter(text.indexOf('*/', start + 2), 2, text);
  if (char !== '"') return start + 1;
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function endAfter(position: number, length: number, text: string): number {
  return position < 0 ? text.length : position + length;
}
