/** Names of programming languages, and the file of highlight.js that knows them. */

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  bash: ['sh', 'shell', 'zsh', 'ksh', 'shellscript'],
  c: ['h'],
  cpp: ['c++', 'cc', 'cxx', 'hpp', 'hh', 'hxx'],
  csharp: ['cs', 'c#'],
  clojure: ['clj', 'cljs', 'edn'],
  cmake: [],
  css: [],
  dart: [],
  diff: ['patch'],
  dockerfile: ['docker'],
  dos: ['bat', 'cmd', 'batch'],
  elixir: ['ex', 'exs'],
  elm: [],
  erlang: ['erl'],
  fsharp: ['fs', 'f#'],
  go: ['golang'],
  gradle: [],
  graphql: ['gql'],
  groovy: [],
  haskell: ['hs'],
  http: [],
  ini: ['toml', 'cfg', 'conf', 'properties'],
  java: [],
  javascript: ['js', 'jsx', 'mjs', 'cjs', 'node'],
  json: ['jsonc', 'json5', 'jsonl', 'ndjson'],
  julia: ['jl'],
  kotlin: ['kt', 'kts'],
  latex: ['tex'],
  less: [],
  lisp: ['cl'],
  lua: [],
  makefile: ['make', 'mk'],
  markdown: ['md', 'mdx'],
  matlab: [],
  nginx: [],
  nix: [],
  objectivec: ['objc', 'objective-c'],
  ocaml: ['ml'],
  perl: ['pl', 'pm'],
  php: [],
  plaintext: [],
  powershell: ['ps1', 'pwsh', 'ps'],
  protobuf: ['proto'],
  python: ['py', 'python3', 'py3', 'pyi'],
  r: [],
  ruby: ['rb'],
  rust: ['rs'],
  scala: ['sbt'],
  scheme: ['scm'],
  scss: ['sass'],
  sql: ['mysql', 'sqlite'],
  pgsql: ['postgres', 'postgresql'],
  swift: [],
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  vim: ['viml'],
  wasm: ['wat'],
  x86asm: ['asm', 'nasm'],
  xml: ['html', 'xhtml', 'svg', 'vue', 'svelte', 'rss', 'plist'],
  yaml: ['yml'],
};

/** Languages that stand inside others. */
const EMBEDDED: Readonly<Record<string, readonly string[]>> = { xml: ['css', 'javascript'], php: ['xml'] };

const FILES = new Map(Object.entries(ALIASES).flatMap(([file, names]) => [file, ...names].map((name) => [name, file])));

/** The language's own name; nothing for one that is not known. */
export function languageName(name: string): string | undefined {
  return FILES.get(name.toLowerCase());
}

/** What has to be loaded for a language, itself last. */
export function languageFiles(language: string): readonly string[] {
  return [...(EMBEDDED[language] ?? []), language];
}

/** All names that are known. */
export function languageNames(): readonly string[] {
  return [...FILES.keys()];
}
