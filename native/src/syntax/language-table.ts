import table from './languages.json' with { type: 'json' };

/** Which node kinds an outline leaves out. */
export interface OutlineSpec {
  readonly bodies: readonly string[];
  /** Parents whose body is entered instead of left out. */
  readonly transparent: readonly string[];
  readonly comments: readonly string[];
  readonly literals: readonly string[];
  /** How many literals may enclose one before it is left out. */
  readonly literalDepth?: number;
  /** Bodies have no delimiter lines of their own. */
  readonly indent?: boolean;
}

/** How a node kind becomes a symbol; see crates/syntax for the meaning of the name path. */
export interface SymbolSpec {
  readonly node: string;
  readonly symbol: string;
  readonly name: string;
  readonly outer?: boolean;
  readonly maxDepth?: number;
  readonly requires?: string;
  readonly only?: readonly string[];
  readonly refine?: { readonly field: string; readonly kinds: Readonly<Record<string, string>> };
}

/** One language of the table that the addon and the WASM twin share. */
export interface LanguageInfo {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly extensions: readonly string[];
  readonly filenames: readonly string[];
  readonly interpreters: readonly string[];
  /** Stands for `$` in patterns where the grammar does not take `$` in a name. */
  readonly expando: string;
  /** Another stand-in, for places where the grammar does not take the first: Ruby's classes, PHP's variables. */
  readonly otherExpando?: string;
  /** The grammar has no names: a string stands for a variable. */
  readonly quoteVariables?: boolean;
  /** Put before a pattern so that the grammar reads it as code. */
  readonly patternPrefix?: string;
  /** What may stand before and after a pattern that is not valid alone, the first that helps counts. */
  readonly contexts?: readonly (readonly [before: string, after: string])[];
  /** Nodes that show that the grammar took a pattern for something else, as C takes `f(x)` for a type. */
  readonly misreadings?: readonly Misreading[];
  /** The addon has the grammar. */
  readonly native: boolean;
  /** The npm package and file of the WASM grammar that ships with us. */
  readonly wasm?: { readonly package: string; readonly file: string };
  /** Where a user gets the WASM grammar that does not ship with us. */
  readonly install?: { readonly package: string; readonly version: string; readonly file: string };
  readonly outline: OutlineSpec;
  readonly symbols: readonly SymbolSpec[];
}

/** A node that code as people mean it does not have: one of a kind, one with such a child, or one with such a text. */
export interface Misreading {
  readonly kind: string;
  readonly child?: string;
  readonly text?: string;
}

/** Every known language. */
export const LANGUAGES: readonly LanguageInfo[] = table.languages as readonly LanguageInfo[];

/** Finds a language by id or alias, ignoring case. */
export function languageByName(name: string): LanguageInfo | undefined {
  const id = name.toLowerCase();
  return LANGUAGES.find((info) => info.id === id || info.aliases.includes(id));
}

/** The language of a file: by its name, then by its extension, then by the `#!` of its first line. */
export function detectLanguage(path: string, firstLine?: string): LanguageInfo | undefined {
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const byFile = (filename: string): LanguageInfo | undefined =>
    LANGUAGES.find((info) => info.filenames.includes(filename));
  const exact = byFile(name);
  if (exact) return exact;
  const dot = name.lastIndexOf('.');
  if (dot >= 0) {
    const extension = name.slice(dot + 1).toLowerCase();
    const byExtension = LANGUAGES.find((info) => info.extensions.includes(extension));
    if (byExtension) return byExtension;
  }
  // `Dockerfile.dev` keeps the language of its stem.
  const stem = byFile(name.split('.')[0] || name);
  if (stem) return stem;
  const program = firstLine === undefined ? undefined : interpreter(firstLine);
  return program === undefined ? undefined : LANGUAGES.find((info) => info.interpreters.includes(program));
}

function interpreter(firstLine: string): string | undefined {
  if (!firstLine.startsWith('#!')) return undefined;
  const words = firstLine
    .slice(2)
    .split(/[ \t\r\f]+/)
    .filter((word) => word !== '');
  let program = words[0]?.split('/').at(-1);
  if (program === 'env') {
    const named = words.slice(1).find((word) => !word.startsWith('-') && !word.includes('='));
    program = named?.split('/').at(-1);
  }
  return program?.replace(/[0-9.]+$/, '');
}
