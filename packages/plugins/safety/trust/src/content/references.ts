/** What a script loads by name. An approximation on the safe side: a name too many costs a question when that file changes. */
import { readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';

/** Servers are often bundled into one file. */
const MAX_BYTES = 4 * 1024 * 1024;
const SCRIPT = ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'];
const ENDINGS = ['', ...SCRIPT, '.json', '/index.js', '/index.ts', '/package.json'];
const SHELL = ['.sh', '.bash', '.zsh', '.fish', '.ksh', '.bats', '.mk', ''];
const OTHER_SCRIPT = ['.rb', '.php', '.pl', '.pm', '.lua', '.tcl', '.r'];
/** Files that are no scripts and name some. */
const WORDY = /(?:^|\/)(?:(?:GNU)?[Mm]akefile|\.?justfile|[\w-]+\.just|\.yarnrc(?:\.yml)?|\.npmrc|bunfig\.toml)$/i;
/** What a word of a shell script must end in, or hold, to be looked up. */
const CODE_WORD = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|go|rs|jar|wasm|mk|just)$|\//;

/** Names in a script: paths that may exist, and words that a shell would look up. */
export interface References {
  readonly paths: readonly string[];
  readonly words: readonly string[];
}

const NOTHING: References = { paths: [], words: [] };

/** The references in a file. */
export function referencesIn(file: string, size: number, places: readonly string[] = []): References {
  const end = extname(file).toLowerCase();
  if (size > MAX_BYTES) return NOTHING;
  const text = textOf(file);
  const head = text.slice(0, 200);
  const isPython = end === '.py' || /^#!.*python/.test(head);
  const isShell = /^#!.*\b(?:ba|z|k|da)?sh\b/.test(head) || (SHELL.includes(end) && end !== '');
  if (isPython) return { paths: pythonImports(text, file, places), words: [] };
  if (SCRIPT.includes(end) || /^#!.*(?:node|deno|bun)/.test(head))
    return { paths: scriptImports(text, file), words: [] };
  if (end === '.go') return { paths: [], words: goImports(text, places) };
  if (OTHER_SCRIPT.includes(end)) return { paths: quotedNames(text, file, places), words: [] };
  if (isShell || WORDY.test(file)) return { paths: [], words: shellWords(text) };
  return NOTHING;
}

function scriptImports(text: string, file: string): string[] {
  const names = [...text.matchAll(/(['"`])(\.{1,2}\/[^'"`\n${}]*)\1/g)].map(([, , name = '']) => name);
  return [...new Set(names)].flatMap((name) => {
    const base = resolve(dirname(file), name);
    // TypeScript sources are imported by the names of what they become.
    const source = base.replace(/\.([cm]?)js$/, '.$1ts');
    return [...ENDINGS.map((ending) => base + ending), source];
  });
}

/** `require_relative "x"`, `include 'x.php'` and the like. */
function quotedNames(text: string, file: string, places: readonly string[]): string[] {
  const names = new Set([...text.matchAll(/(['"])([\w./-]{1,200})\1/g)].map(([, , name = '']) => name));
  const bases = [dirname(file), ...places, ...places.map((place) => join(place, 'lib'))];
  return [...names].flatMap((name) => bases.flatMap((base) => [join(base, name), join(base, name + extname(file))]));
}

/** Packages of the same module, as folders. */
function goImports(text: string, places: readonly string[]): string[] {
  return places.flatMap((place) => {
    const [, module] = /^module\s+(\S+)/m.exec(textOf(join(place, 'go.mod'))) ?? [];
    if (module === undefined) return [];
    const names = [...text.matchAll(/"([^"\n]+)"/g)].map(([, name = '']) => name);
    return names.flatMap((name) => (name.startsWith(`${module}/`) ? [join(place, name.slice(module.length + 1))] : []));
  });
}

function pythonImports(text: string, file: string, places: readonly string[]): string[] {
  const here = dirname(file);
  const bases: string[] = [];
  for (const [, dots = '', module = '', names = ''] of text.matchAll(
    /^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)/gm,
  )) {
    const start = dots.length > 1 ? resolve(here, ...Array.from({ length: dots.length - 1 }, () => '..')) : here;
    for (const root of dots === '' ? [start, ...places] : [start]) {
      const base = join(root, ...module.split('.'));
      bases.push(base, ...names.split(',').map((name) => join(base, name.trim().split(/\s/, 1)[0] ?? '')));
    }
  }
  for (const [, names = ''] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm))
    for (const root of [here, ...places])
      bases.push(...names.split(',').map((name) => join(root, ...(name.trim().split(/\s/, 1)[0] ?? '').split('.'))));
  return [...new Set(bases)].flatMap((base) => [`${base}.py`, join(base, '__init__.py'), join(base, '__main__.py')]);
}

function shellWords(text: string): string[] {
  // What a script only writes to does not decide what it does.
  const words = text
    .replaceAll(/>{1,2}\|?[ \t]*(?:"[^"\n]*"|'[^'\n]*'|[^\s;|&()]+)/g, ' ')
    .replaceAll(/^\s*#.*$/gm, '')
    // `$(dirname "$0")/x` and its like lie beside the script.
    .replaceAll(/\$\([^()]*\)/g, '.')
    .split(/[\s'"`;|&()<>=,[\]]+/)
    .map((word) => word.replace(/^(?:\$\{[^}]*\}|\$\w+)\//, './'));
  return [...new Set(words)].filter((word) => CODE_WORD.test(word) && !/^(?:\/|https?:)/.test(word));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // Out of reach: it cannot be run either.
  }
}
