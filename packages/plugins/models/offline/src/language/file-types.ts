/** How people name kinds of files, and what marks a word as a path. */

/** Extensions by the names that people use for them. */
const FILE_TYPES: Readonly<Record<string, readonly string[]>> = {
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  javascript: ['js', 'jsx', 'mjs', 'cjs'],
  python: ['py', 'pyi'],
  rust: ['rs'],
  go: ['go'],
  golang: ['go'],
  java: ['java'],
  kotlin: ['kt', 'kts'],
  'c++': ['cpp', 'cc', 'cxx', 'hpp', 'hh'],
  'c#': ['cs'],
  c: ['c', 'h'],
  ruby: ['rb'],
  php: ['php'],
  swift: ['swift'],
  scala: ['scala'],
  lua: ['lua'],
  shell: ['sh', 'bash'],
  bash: ['sh', 'bash'],
  markdown: ['md', 'mdx'],
  documentation: ['md', 'mdx', 'rst', 'adoc'],
  json: ['json', 'jsonc'],
  yaml: ['yaml', 'yml'],
  toml: ['toml'],
  html: ['html', 'htm'],
  css: ['css', 'scss', 'less'],
  sql: ['sql'],
  xml: ['xml'],
  text: ['txt'],
  vue: ['vue'],
  svelte: ['svelte'],
  dart: ['dart'],
  elixir: ['ex', 'exs'],
  haskell: ['hs'],
  zig: ['zig'],
  image: ['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp'],
};

/** Kinds of files that are told by their names, as globs. */
const FILE_ROLES: Readonly<Record<string, readonly string[]>> = {
  test: ['**/*.test.*', '**/*.spec.*', '**/*_test.*', '**/test_*.*'],
  spec: ['**/*.spec.*', '**/*_spec.*'],
  config: ['**/*.config.*', '**/*.{toml,yml,yaml,ini,cfg}', '**/.*rc', '**/tsconfig*.json', '**/package.json'],
  configuration: ['**/*.config.*', '**/*.{toml,yml,yaml,ini,cfg}', '**/.*rc', '**/tsconfig*.json', '**/package.json'],
  readme: ['**/README*'],
  license: ['**/LICENSE*'],
  docker: ['**/Dockerfile*', '**/docker-compose*.{yml,yaml}'],
};

const EXTENSIONS: ReadonlySet<string> = new Set([
  ...Object.values(FILE_TYPES).flat(),
  ...['lock', 'cfg', 'ini', 'env', 'gradle', 'graphql', 'proto', 'rst', 'adoc', 'ipynb', 'csv', 'tsv', 'mk', 'cmake'],
  ...[
    'ps1',
    'bat',
    'pl',
    'r',
    'jl',
    'nix',
    'tf',
    'sol',
    'erl',
    'clj',
    'ml',
    'fs',
    'vb',
    'm',
    'mm',
    'hbs',
    'ejs',
    'pdf',
  ],
]);

const BARE_FILES = /^(?:makefile|dockerfile|justfile|rakefile|gemfile|procfile|readme|license|changelog|codeowners)$/i;

/** Folders that are called by their bare names in everyday talk. */
const BARE_FOLDERS = new Set(
  'src lib libs test tests spec specs docs doc packages package apps app bin scripts examples example crates cmd pkg internal include public assets server client api core config tools native bench'.split(
    ' ',
  ),
);

/** True for a word that can only be meant as a path or glob. */
export function looksLikePath(word: string): boolean {
  if (word === '' || /\s/.test(word)) return false;
  if (word === '.' || word === '..' || word === './') return true;
  if (/[(){}<>;=$]/.test(word) && !/^[\w./*{},-]+$/.test(word)) return false;
  if (/^\*+[.*\w-]/.test(word) || (/[*?]/.test(word) && /[./]/.test(word))) return true;
  if (word.includes('/')) return !word.startsWith('//') && !/^\/.*\/[gimsuy]*$/.test(word);
  if (BARE_FILES.test(word)) return true;
  const extension = /^.+\.(\w{1,8})(?::[\dL+-]+)?$/.exec(word)?.[1]?.toLowerCase();
  return extension === undefined ? /^\.[a-z][\w-]*(\.\w+)?$/i.test(word) : EXTENSIONS.has(extension);
}

/** True for a bare word that is a folder in most projects. */
export function looksLikeFolder(word: string): boolean {
  return BARE_FOLDERS.has(word);
}

/** Globs for a spoken kind of file: `typescript`, `ts`, `.ts`, `*.ts`, `test`. */
export function globsForType(spoken: string): readonly string[] | undefined {
  const word = spoken.toLowerCase();
  const role = FILE_ROLES[word];
  if (role) return role;
  const named = FILE_TYPES[word] ?? FILE_TYPES[word.replace(/s$/, '')];
  if (named) return [globFor(named)];
  const extension = word.replace(/^\*?\.?/, '');
  return EXTENSIONS.has(extension) ? [globFor([extension])] : undefined;
}

function globFor(extensions: readonly string[]): string {
  return extensions.length === 1 ? `**/*.${extensions[0]}` : `**/*.{${extensions.join(',')}}`;
}

/** The extension of a path, without the dot. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
