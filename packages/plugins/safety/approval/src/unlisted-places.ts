/** What a call could touch whose tool cannot be held to what it declares: every text of its input may be a path or an address. */
import { existsSync } from 'node:fs';
import { cleanPath, textsIn } from '@tenon/tools/api';
import { absolutePath } from './judge/places.ts';

/** What no file system takes for a path. */
const MAX_PATH = 4096;
const MAX_NAME = 255;

/** The places that the texts of an input could stand for, each once. */
export function textsAsPlaces(
  input: Readonly<Record<string, unknown>>,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): { readonly paths: readonly string[]; readonly hosts: readonly string[] } {
  const texts = [...new Set(textsIn(input).flatMap((text) => [text, cleanPath(text)]))].filter(
    (text) => text !== '' && text !== '/dev/null',
  );
  const paths = texts
    // A tool that does not know a scheme may take it for a folder, and `..` leads out of that.
    .filter((text) => !/^[a-z][a-z0-9+.-]+:\/\//i.test(text) || text.split(/[\\/]/).includes('..'))
    .map((text) => absolutePath(text, cwd, home))
    .filter((path) => path.length <= MAX_PATH && path.split('/').every((name) => Buffer.byteLength(name) <= MAX_NAME));
  return { paths: [...new Set(paths.map(withoutSelector))], hosts: texts.filter((text) => /^https?:\/\//i.test(text)) };
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
