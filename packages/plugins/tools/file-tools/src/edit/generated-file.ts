/** Files that a program writes: changing them by hand is lost at its next run. */
import { basename } from 'node:path';

/** Lock files of package managers. */
const LOCK_FILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'deno.lock',
  'cargo.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'pipfile.lock',
  'gemfile.lock',
  'composer.lock',
  'go.sum',
  'go.work.sum',
  'flake.lock',
  'mix.lock',
  'podfile.lock',
  'package.resolved',
  'packages.lock.json',
  'gradle.lockfile',
  'pubspec.lock',
  '.terraform.lock.hcl',
]);

const MINIFIED_NAME = /[.-]min\.(?:js|mjs|cjs|css)$/i;
const MINIFIABLE_NAME = /\.(?:js|mjs|cjs|css)$/i;
/** No person writes lines like that; a bundle has little else. */
const MINIFIED_LINE_BYTES = 5000;

const HEAD_BYTES = 2048;
/** Only where a comment starts, so that code that looks for such marks is not taken for their bearer. */
const COMMENT = /^[\s]*(?:\/\/|\/\*|\*|#|--|;|%|<!--|\{-|\(\*|"""|'''|"(?:\/\/|_*comment)"\s*:)/;
const MARK =
  /@generated\b|\bcode generated\b.*\bdo not edit\b|\bauto-?(?:matically )?generated\b.*\b(?:do not|don't) (?:edit|modify|change)\b|\b(?:do not|don't) (?:edit|modify)\b.*\bgenerated\b|^\W*this file (?:is|was) (?:auto-?(?:matically )?)?generated\b/i;

/** What shows that a file is generated; undefined when nothing does. A file that is not there has only its name. */
export function generatedMark(path: string, content: Uint8Array | undefined): string | undefined {
  const name = basename(path);
  if (content && LOCK_FILES.has(name.toLowerCase())) return `it is the lock file of a package manager`;
  if (!content) return undefined;
  if (MINIFIED_NAME.test(name) || (MINIFIABLE_NAME.test(name) && hasMinifiedLine(content))) return 'it is minified';
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, HEAD_BYTES));
  for (const line of head.toString('latin1').split('\n')) {
    const mark = COMMENT.test(line) ? MARK.exec(line)?.[0] : undefined;
    if (mark !== undefined) return `it says so: "${mark.trim()}"`;
  }
  return undefined;
}

/** One long line among the first few is enough: licences come first, then the code on one line. */
function hasMinifiedLine(content: Uint8Array): boolean {
  let from = 0;
  for (let line = 0; line < 40 && from < content.byteLength; line++) {
    const end = content.indexOf(10, from);
    const until = end < 0 ? content.byteLength : end;
    if (until - from > MINIFIED_LINE_BYTES) return true;
    from = until + 1;
  }
  return false;
}
