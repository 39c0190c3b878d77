/** A unified diff, file by file. */

/** One file of a diff. */
export interface DiffPart {
  readonly path: string;
  readonly additions: number;
  readonly deletions: number;
  /** As it stands in the diff. */
  readonly text: string;
}

/** The files of a diff, in its order. Joined, their texts are the diff again. */
export function partsOf(diff: string): readonly DiffPart[] {
  const starts = [...diff.matchAll(/^diff --git .*$/gm)].map(({ index }) => index);
  return starts.map((start, at) => {
    const text = diff.slice(start, starts[at + 1]);
    const lines = text.split('\n');
    const body = lines.slice(
      Math.max(
        0,
        lines.findIndex((line) => line.startsWith('@@')),
      ),
    );
    const counts = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
    const isBinary = !lines.some((line) => line.startsWith('@@'));
    return { path: pathOf(lines), additions: isBinary ? 0 : counts('+'), deletions: isBinary ? 0 : counts('-'), text };
  });
}

function pathOf(lines: readonly string[]): string {
  const named = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const path = named('rename to ') ?? cleaned(named('+++ ')) ?? cleaned(named('--- '));
  if (path !== undefined) return unquoted(path);
  const [, left = '', right = ''] = /^diff --git (.+) (.+)$/.exec(lines[0] ?? '') ?? [];
  return unquoted(cleaned(right) ?? cleaned(left) ?? right);
}

function cleaned(name: string | undefined): string | undefined {
  if (name === undefined || name === '/dev/null') return undefined;
  return name.replace(/\t.*$/, '').replace(/^("?)[ab]\//, '$1');
}

/** Git writes unusual names in quotes, bytes in octal. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: number[] = [];
  const inner = name.slice(1, -1);
  const plain: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };
  for (const [, octal, letter, other] of inner.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...Buffer.from(letter === undefined ? (other ?? '') : (plain[letter] ?? letter)));
  }
  return Buffer.from(bytes).toString('utf8');
}

/** The list of files with the addresses that read one of them. */
export function listingOf(parts: readonly DiffPart[], address: string): string {
  return parts
    .map(
      ({ path, additions, deletions }, at) => `${at + 1}. ${path} (+${additions} -${deletions})  ${address}/${at + 1}`,
    )
    .join('\n');
}
