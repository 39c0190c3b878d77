import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { brotliDecompressSync } from 'node:zlib';
import type { LanguageInfo } from './language-table.ts';
import { LoadedGrammar, WasmModule } from './parsing.ts';

/** The file of a grammar, or why there is none and what to do. */
export type GrammarFile =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

const require = createRequire(import.meta.url);
/** Made by `scripts/release/grammars-package.mjs`. */
const OWN_PACKAGE = '@tenon/grammars';
/** The package of the program has a grammar so, at a tenth of its size. */
const COMPRESSED = '.br';

/** Finds WASM grammars in our npm packages and in the user's folders, and loads each one once. */
export class Grammars {
  readonly #folders: readonly string[];
  readonly #loaded = new Map<string, Promise<LoadedGrammar>>();
  /** Languages whose grammar broke down in this process, and how. */
  readonly #broken = new Map<string, string>();

  /** `folders` come first, then those of `TENON_GRAMMARS`. */
  constructor(folders: readonly string[] = [], env: NodeJS.ProcessEnv = process.env) {
    const more = env['TENON_GRAMMARS']?.split(delimiter).filter((folder) => folder !== '') ?? [];
    this.#folders = [...folders, ...more];
  }

  /** Where the grammar of a language is. */
  find(info: LanguageInfo): GrammarFile {
    const broken = this.#broken.get(info.id);
    if (broken !== undefined) return { ok: false, reason: broken };
    for (const folder of this.#folders)
      for (const end of ['', COMPRESSED]) {
        const path = join(folder, `tree-sitter-${info.id}.wasm${end}`);
        if (existsSync(path)) return { ok: true, path };
      }
    const packaged = info.wasm;
    if (packaged !== undefined) {
      // A checkout has the packages of others; an installed Tenon has those files in one package, if the user wants it, and one compressed.
      const file = `${packaged.package}/${packaged.file}`;
      const places = [file, `${file}${COMPRESSED}`, `${OWN_PACKAGE}/tree-sitter-${info.id}.wasm`];
      for (const place of places) {
        const path = resolvePackaged(place);
        if (path !== undefined) return { ok: true, path };
      }
    }
    return { ok: false, reason: missing(info) };
  }

  /** Loads the grammar of a language; rejects when `find` has no file for it. */
  load(info: LanguageInfo): Promise<LoadedGrammar> {
    const earlier = this.#loaded.get(info.id);
    if (earlier !== undefined) return earlier;
    const loading = this.#load(info);
    this.#loaded.set(info.id, loading);
    return loading;
  }

  async #load(info: LanguageInfo): Promise<LoadedGrammar> {
    const file = this.find(info);
    if (!file.ok) throw new Error(file.reason);
    const sitter = await runtime();
    const bytes = await readFile(file.path);
    const language = sitter.Language.loadSync(
      compileQuickly(file.path.endsWith(COMPRESSED) ? brotliDecompressSync(bytes) : bytes),
    );
    const newParser = () => new sitter.Parser().setLanguage(language);
    return new LoadedGrammar(info.id, language, newParser, (reason) => this.#broken.set(info.id, reason));
  }
}

const OPTIMISATIONS = ['tier-up', 'dynamic-tiering', 'lazy-compilation'];

/**
 * Compiles a grammar with V8's quick compiler only. Its optimising compiler needs 10 to 20 seconds of CPU time for the one huge
 * function that lexes Swift or PowerShell, gains nothing, and the process cannot end before it is done. The flags hold for
 * the compilation, which is synchronous; the parser's own module keeps both compilers.
 */
function compileQuickly(bytes: Uint8Array): object {
  for (const name of OPTIMISATIONS) setFlagsFromString(`--no-wasm-${name}`);
  try {
    return new WasmModule(bytes);
  } finally {
    for (const name of OPTIMISATIONS) setFlagsFromString(`--wasm-${name}`);
  }
}

let started: Promise<typeof import('web-tree-sitter')> | undefined;

/** Imports the WASM runtime on first use. */
function runtime(): Promise<typeof import('web-tree-sitter')> {
  started ??= (async () => {
    const sitter = await import('web-tree-sitter');
    // Named explicitly, because esbuild moves the script away from its .wasm file.
    const file = require.resolve('web-tree-sitter/web-tree-sitter.wasm');
    await sitter.Parser.init({ locateFile: () => file });
    return sitter;
  })();
  return started;
}

function resolvePackaged(specifier: string): string | undefined {
  try {
    return require.resolve(specifier);
  } catch (error) {
    // A package that is not installed is an answer here; anything else is a defect of the installation.
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function missing(info: LanguageInfo): string {
  const target = `a folder named by TENON_GRAMMARS as tree-sitter-${info.id}.wasm`;
  if (info.install !== undefined) {
    const { package: name, version, file } = info.install;
    return `no grammar for ${info.id} here; put ${file} of the npm package ${name}@${version} into ${target}`;
  }
  if (info.wasm !== undefined) {
    return `no grammar for ${info.id} here; install the npm package ${OWN_PACKAGE} beside Tenon, or put a grammar into ${target}`;
  }
  return `no WASM grammar for ${info.id} here; put one into ${target}${info.native ? ', or build the native addon' : ''}`;
}
