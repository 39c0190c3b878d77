import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { Language, Parser } from 'web-tree-sitter';
import type { LanguageInfo } from './language-table.ts';

/** The file of a grammar, or why there is none and what to do. */
export type GrammarFile =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

/** A grammar with a parser of its own. */
export interface LoadedGrammar {
  readonly language: Language;
  readonly parser: Parser;
}

const require = createRequire(import.meta.url);

/** Finds WASM grammars in our npm packages and in the user's folders, and loads each one once. */
export class Grammars {
  readonly #folders: readonly string[];
  readonly #loaded = new Map<string, Promise<LoadedGrammar>>();

  /** `folders` come first, then those of `TENON_GRAMMARS`. */
  constructor(folders: readonly string[] = [], env: NodeJS.ProcessEnv = process.env) {
    const more = env['TENON_GRAMMARS']?.split(delimiter).filter((folder) => folder !== '') ?? [];
    this.#folders = [...folders, ...more];
  }

  /** Where the grammar of a language is. */
  find(info: LanguageInfo): GrammarFile {
    for (const folder of this.#folders) {
      const path = join(folder, `tree-sitter-${info.id}.wasm`);
      if (existsSync(path)) return { ok: true, path };
    }
    const packaged = info.wasm;
    if (packaged !== undefined) {
      const path = resolvePackaged(`${packaged.package}/${packaged.file}`);
      if (path !== undefined) return { ok: true, path };
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
    const language = await sitter.Language.load(file.path);
    const parser = new sitter.Parser();
    parser.setLanguage(language);
    return { language, parser };
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
    return `no grammar for ${info.id} here; install the npm package ${info.wasm.package}, or put a grammar into ${target}`;
  }
  return `no WASM grammar for ${info.id} here; put one into ${target}${info.native ? ', or build the native addon' : ''}`;
}
