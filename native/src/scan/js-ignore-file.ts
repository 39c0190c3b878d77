/** The lines of one ignore file, read as git reads them; as in crates/scan/src/ignore_file.rs. */
import { lower, plainLength, wildcards } from './js-wildmatch.ts';

/** `true` hides, `false` shows, `undefined` leaves it to the next source. */
export type Verdict = boolean | undefined;

/** The rules of one file. Paths are relative to its folder and have one character per byte. */
export interface IgnoreFile {
  verdict(path: string, isFolder: boolean): Verdict;
}

interface Rule {
  readonly isNegated: boolean;
  readonly onlyFolders: boolean;
  readonly matches: (path: string, name: string) => boolean;
}

/** Reads the lines; nothing when none of them can match. `fold` ignores the case of ASCII letters. */
export function ignoreFile(content: Buffer, fold: boolean): IgnoreFile | undefined {
  const text = content.toString('latin1').replace(/^\u00ef\u00bb\u00bf/u, '');
  const rules = text.split('\n').flatMap((line) => ruleOf(line, fold) ?? []);
  if (rules.length === 0) return undefined;
  return {
    verdict(path, isFolder) {
      const compared = fold ? lower(path) : path;
      const name = compared.slice(compared.lastIndexOf('/') + 1);
      const hit = rules.findLast((rule) => (isFolder || !rule.onlyFolders) && rule.matches(compared, name));
      return hit && !hit.isNegated;
    },
  };
}

function ruleOf(text: string, fold: boolean): Rule | undefined {
  if (text.startsWith('#')) return undefined;
  // Git's lines end at a NUL.
  const line = withoutTrailingBlanks(text.replace(/\r$/u, '').split('\0', 1)[0] ?? '');
  const isNegated = line.startsWith('!');
  const onlyFolders = line.endsWith('/');
  const body = line.slice(Number(isNegated), onlyFolders ? -1 : undefined);
  if (body === '') return undefined;
  const matches = testOf(body, fold);
  return matches && { isNegated, onlyFolders, matches };
}

function testOf(body: string, fold: boolean): Rule['matches'] | undefined {
  const plain = plainLength(body);
  const same = fold ? lower : (text: string): string => text;
  if (body.includes('/')) {
    const start = same(body.slice(body.startsWith('/') ? 1 : 0, plain));
    if (plain === body.length) return (path) => path === start;
    const rest = wildcards(body.slice(plain), fold);
    return rest && ((path) => path.startsWith(start) && rest(path.slice(start.length)));
  }
  if (plain === body.length) {
    const wanted = same(body);
    return (_path, name) => name === wanted;
  }
  if (body.startsWith('*') && plainLength(body.slice(1)) === body.length - 1) {
    const ending = same(body.slice(1));
    return (_path, name) => name.endsWith(ending);
  }
  const pattern = wildcards(body, fold);
  return pattern && ((_path, name) => pattern(name));
}

/** Blanks at the end do not count, unless a backslash stands before them; tabs do count. */
function withoutTrailingBlanks(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === ' ') continue;
    if (line[at] === '\\') at += 1;
    end = at + 1;
  }
  return line.slice(0, end);
}
