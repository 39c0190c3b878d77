/** Which files of a project run when a command does: those that its words name, and those that these name in turn. */
import { existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '@tenon/host';
import { referencesIn } from './references.ts';

/** More than that is no hook and no server any more; what lies beyond is not looked at. */
const MAX_FILES = 200;
/** Installed by package managers: an entry there is looked at, what it loads is not, or every update would ask. */
const INSTALLED = /\/(?:node_modules|\.venv|venv|site-packages)\//;

/** Settings with which package managers choose other programs or other sources. */
const OF_PACKAGES = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'bunfig.toml'];
/** Files that programs read by themselves in the folder that they start in. */
const BY_PROGRAM: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx'].map((name) => [name, OF_PACKAGES])),
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  deno: ['deno.json', 'deno.jsonc'],
  cargo: ['Cargo.toml', 'build.rs', 'src', '.cargo/config.toml'],
  docker: ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml', 'Dockerfile'],
  'docker-compose': ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml', 'Dockerfile'],
  podman: ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'Containerfile', 'Dockerfile'],
};
/** Programs that run what the pyproject.toml names. */
export const RUNS_PYTHON: ReadonlySet<string> = new Set(['uv', 'uvx', 'poetry', 'pdm', 'hatch', 'rye', 'pipx']);
/** Programs that run what a package in node_modules offers. */
const RUNS_PACKAGES: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'pnpm', 'yarn', 'bun', 'npm']);
/** Programs that run scripts of the package.json. */
const RUNS_SCRIPTS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'npx', 'bunx', 'node']);
const ENTRIES = [
  '__main__.py',
  '__init__.py',
  'main.py',
  ...['index', 'main', 'server'].flatMap((name) => ['js', 'mjs', 'cjs', 'ts'].map((end) => `${name}.${end}`)),
  'main.go',
];

/** Files that programs run, or that say what runs. Others (databases, logs, notes) change all the time and run nothing. */
const CODE =
  /(?:\.(?:[cm]?[jt]sx?|py|pyw|pyz|sh|bash|zsh|fish|ksh|rb|php|pl|pm|lua|tcl|r|jl|go|rs|java|kts?|scala|groovy|cs|fsx?|swift|exs?|clj|jar|war|class|wasm|so|dll|dylib|node|exe|bat|cmd|ps1|json|json5|jsonc|ya?ml|toml|ini|cfg|conf|env|properties|xml|mk|gradle|nix|proto|sql)|\/\.[\w.-]+|\/[A-Z]\w*file(?:\.\w+)?)$/i;
/** Programs that run the file behind them, whatever its name. */
const INTERPRETERS =
  /^(?:(?:ba|da|z|k|a|fi|c)?sh|source|\.|node|bun|deno|tsx|python[\d.]*|pypy3?|ruby|perl|php|lua|Rscript|java|pwsh|make|gmake|env)$/;

/** Where words are looked up. */
export interface NameContext {
  /** The project, without links. */
  readonly folder: string;
  /** Where the program starts. */
  readonly cwd: string;
}

/** All files of the project that texts (command lines, arguments, values of variables) name, as absolute paths, sorted. */
export function namedFiles(texts: readonly string[], { folder, cwd }: NameContext): string[] {
  const files = new Set<string>();
  const words = texts.flatMap(wordsOf);
  const places = namedFolders(texts, { folder, cwd });
  const runs = new Set(words.map((word) => basename(word)));
  const visit = (path: string, isRun = false): void => {
    if (files.size >= MAX_FILES || files.has(path)) return;
    const stats = statsOf(path);
    if (stats?.isDirectory()) return entriesOf(path, runs.has('cargo')).forEach((entry) => visit(entry));
    if (!stats?.isFile() || !(isRun || mayRun(path, stats))) return;
    files.add(path);
    if (INSTALLED.test(path)) return;
    const { words, paths } = referencesIn(path, stats.size, places);
    for (const candidate of paths)
      if (isOfProject(candidate, folder) && statsOf(candidate)?.isFile()) visit(candidate, true);
    for (const word of words) for (const next of pathsOf(word, [dirname(path), ...places], folder)) visit(next, true);
  };
  const runsPackages = [...runs].some((name) => RUNS_PACKAGES.has(name));
  for (const [at, word] of words.entries()) {
    const isRun = INTERPRETERS.test(basename(words[at - 1] ?? ''));
    for (const path of pathsOf(word, places, folder)) visit(path, isRun);
    for (const place of places) {
      for (const name of BY_PROGRAM[basename(word)] ?? []) visit(join(place, name), true);
      if (runsPackages && /^@?[\w./-]+$/.test(word)) visit(join(place, 'node_modules', '.bin', basename(word)), true);
      if (RUNS_SCRIPTS.has(basename(word)))
        for (const text of scriptsOf(place)) for (const path of scriptWords(text, places, folder)) visit(path);
    }
  }
  const python = [...runs].some((name) => RUNS_PYTHON.has(name)) ? places.flatMap(pythonParts) : [];
  for (const text of [...texts, ...python]) for (const path of modulesOf(text, places)) visit(path, true);
  return [...files].sort();
}

/** By its name, its rights, or its first line. */
function mayRun(path: string, { mode }: Stats): boolean {
  return CODE.test(path) || (mode & 0o111) !== 0 || readText(path).startsWith('#!');
}

function scriptWords(text: string, places: readonly string[], folder: string): string[] {
  return wordsOf(text).flatMap((word) => pathsOf(word, places, folder));
}

/** The scripts of a package, and what its short names (`#x`) stand for, as texts. */
export function scriptsOf(folder: string): readonly string[] {
  const { scripts, imports } = packageOf(folder) ?? {};
  return [...textsIn(scripts), ...textsIn(imports)];
}

/** Parts of a pyproject.toml that decide what runs, without the rest, which changes with every release. */
export function pythonParts(folder: string): readonly string[] {
  const sections = readText(join(folder, 'pyproject.toml')).split(/^(?=\[)/m);
  return sections.filter((section) =>
    /^\[+(?:[^\]]*scripts|build-system|tool\.(?:uv|hatch|pdm)[^\]]*)\]/.test(section),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Where names may start: `make -C sub`, `npm --prefix sub`, `cd sub && ./run` and PYTHONPATH name folders of their own. */
export function namedFolders(texts: readonly string[], { folder, cwd }: NameContext): string[] {
  const given = [...new Set([cwd, folder])];
  return [
    ...new Set([
      ...given,
      ...texts
        .flatMap(wordsOf)
        .flatMap((word) => pathsOf(word, given, folder))
        .filter(isFolder),
    ]),
  ];
}

const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() === true;

/** The words of a command line, and what is left of them without what a shell puts around names. */
function wordsOf(text: string): string[] {
  // `"$PROJECT"/x` and `$(git rev-parse …)/x` lie in the project as far as anybody can tell.
  const plain = text.replaceAll(/["']?\$(?:\{[^}]*\}|\([^()]*\)|\w+)["']?\//g, './');
  return [text, ...plain.split(/[\s'"`;|&()<>=,]+/)].filter((word) => word !== '' && word.length < 4096);
}

/** Where a word may lead: as it is, and without a variable in front of it that stands for a folder of the project. */
function pathsOf(word: string, places: readonly string[], folder: string): string[] {
  const plain = word
    .replace(/^-[IL](?=.)/, '')
    .replace(/^file:\/\//, '')
    .replace(/^(?:\$\{[^}]*\}|\$\w+|%\w+%)\/?/, '');
  if (plain === '' || plain.includes('\0') || plain.startsWith('-')) return [];
  const paths = isAbsolute(plain) ? [plain] : places.map((place) => resolve(place, plain));
  // `.` is the whole project; only its entries count, and only where the word says it.
  return [...new Set(paths)].filter((path) => isOfProject(path, folder) && existsSync(path));
}

function isOfProject(path: string, folder: string): boolean {
  return isInside(path, folder);
}

/** `srv = "app.server:main"` of a pyproject.toml. */
const ENTRY_POINT = /["']([A-Za-z_][\w.]*):[\w.]+["']/g;

/** `python -m a.b` runs a/b.py or a/b/__main__.py. */
function modulesOf(text: string, places: readonly string[]): string[] {
  const found = [
    ...text.matchAll(/(?:^|\s)-m\s*([\w.]+)/g),
    ...text.matchAll(/^([\w.]+)$/g),
    ...text.matchAll(ENTRY_POINT),
  ];
  const names = found.map(([, name = '']) => name);
  return names
    .map((name) => name.replaceAll('.', '/'))
    .flatMap((name) => places.flatMap((place) => [place, join(place, 'src')].map((base) => join(base, name))))
    .flatMap((base) => [`${base}.py`, join(base, '__main__.py'), join(base, '__init__.py')])
    .filter((path) => existsSync(path));
}

/** What runs when a folder is started: `node .`, `python app`, `go run ./cmd/x`, `npx ./tool`. */
function entriesOf(folder: string, isRust: boolean): string[] {
  if (isRust && basename(folder) === 'src')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .filter((name) => name.endsWith('.rs'))
      .map((name) => join(folder, name));
  const manifest = packageOf(folder);
  const bins = typeof manifest?.bin === 'string' ? [manifest.bin] : Object.values(manifest?.bin ?? {});
  const named = [manifest?.main, ...bins].filter((name) => typeof name === 'string');
  const sources = namesIn(folder).filter((name) => extname(name) === '.go');
  return [...named, ...ENTRIES, ...sources].map((name) => join(folder, name)).filter((path) => statsOf(path)?.isFile());
}

interface PackageFile {
  readonly main?: unknown;
  readonly bin?: unknown;
  readonly scripts?: unknown;
  readonly imports?: unknown;
  readonly type?: unknown;
}

function packageOf(folder: string): PackageFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as PackageFile) : undefined;
  } catch {
    return undefined; // Absent or damaged: it names nothing.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // Absent: it says nothing.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Out of reach: nothing of it can be started either.
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A name that no file system takes.
  }
}

/** The path without links; as it is where it leads nowhere. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
