/** What the rules know of programming languages: where comments and texts begin, and which files go together. */
import { extensionOf } from '../language/file-types.ts';

/** How to tell code from comments and texts in one family of languages. */
export interface CodeFamily {
  /** Files of one id can go into one structural edit. */
  readonly id: string;
  readonly line: readonly string[];
  readonly block: readonly (readonly [string, string])[];
  /** Quotes around texts; longer ones first. */
  readonly quotes: readonly string[];
  /** Quotes whose text may go over several lines. */
  readonly multiline: readonly string[];
  /** `'` is for single characters, as in C, so `'a` may be something else. */
  readonly charQuote?: boolean;
  /** True when members (`a.b`) are plain identifiers for the parser. */
  readonly membersAreNames: boolean;
  /** True when a file has to import what it uses of other files. */
  readonly imports: boolean;
}

const cLike = { line: ['//'], block: [['/*', '*/']] as const, multiline: [] as string[] };
const script = { ...cLike, quotes: ['"', "'", '`'], multiline: ['`'], membersAreNames: false, imports: true };
const charLike = { ...cLike, quotes: ['"'], charQuote: true, membersAreNames: true, imports: false };
const hash = { line: ['#'], block: [] as const, quotes: ['"', "'"], multiline: [] as string[], membersAreNames: true };

const FAMILIES: readonly (readonly [extensions: string, family: CodeFamily])[] = [
  ['ts mts cts', { id: 'typescript', ...script }],
  ['tsx', { id: 'tsx', ...script }],
  ['js jsx mjs cjs', { id: 'javascript', ...script }],
  ['py pyi', { id: 'python', ...hash, quotes: ['"""', "'''", '"', "'"], multiline: ['"""', "'''"], imports: true }],
  ['rs', { id: 'rust', ...charLike }],
  ['go', { id: 'go', ...charLike, quotes: ['"', '`'], multiline: ['`'], membersAreNames: false }],
  ['java', { id: 'java', ...charLike, quotes: ['"""', '"'], multiline: ['"""'] }],
  ['kt kts', { id: 'kotlin', ...charLike, quotes: ['"""', '"'], multiline: ['"""'] }],
  ['c h', { id: 'c', ...charLike, membersAreNames: false }],
  ['cpp cc cxx hpp hh', { id: 'cpp', ...charLike, membersAreNames: false }],
  ['cs', { id: 'csharp', ...charLike }],
  ['swift', { id: 'swift', ...charLike, quotes: ['"""', '"'], multiline: ['"""'] }],
  ['scala', { id: 'scala', ...charLike, quotes: ['"""', '"'], multiline: ['"""'] }],
  ['php', { id: 'php', ...cLike, line: ['//', '#'], quotes: ['"', "'"], membersAreNames: true, imports: false }],
  ['rb', { id: 'ruby', ...hash, imports: false }],
  ['sh bash', { id: 'bash', ...hash, quotes: ['"', "'"], multiline: ['"', "'"], imports: false }],
  [
    'lua',
    {
      id: 'lua',
      line: ['--'],
      block: [['--[[', ']]']],
      quotes: ['"', "'"],
      multiline: [],
      membersAreNames: true,
      imports: false,
    },
  ],
  ['ex exs', { id: 'elixir', ...hash, quotes: ['"""', '"'], multiline: ['"""'], imports: false }],
];

const BY_EXTENSION = new Map(
  FAMILIES.flatMap(([extensions, family]) => extensions.split(' ').map((extension) => [extension, family])),
);

/** The family of a file; undefined for what is not code. */
export function familyOf(path: string): CodeFamily | undefined {
  return BY_EXTENSION.get(extensionOf(path));
}

const ECOSYSTEMS: Readonly<Record<string, string>> = { typescript: 'script', tsx: 'script', javascript: 'script' };

/** The languages whose files can use each other's names, by one word; undefined for what is not code. */
export function ecosystemOf(path: string): string | undefined {
  const id = familyOf(path)?.id;
  return id === undefined ? undefined : (ECOSYSTEMS[id] ?? id);
}

/** Files of other kinds that can use the names of an ecosystem all the same; the rules cannot read them. */
const GUESTS: Readonly<Record<string, RegExp>> = {
  script: /\.(?:vue|svelte|astro|mdx|html?|coffee)$/i,
  python: /\.(?:ipynb|pyx|pxd)$/i,
  c: /\.(?:cpp|cc|cxx|hpp|hh|m|mm)$/i,
  java: /\.(?:kt|kts|scala|groovy)$/i,
};

/** True for a file that can use names of an ecosystem though it belongs to another. */
export function canUse(ecosystem: string, path: string): boolean {
  return GUESTS[ecosystem]?.test(path) === true;
}

const RESERVED: Readonly<Record<string, string>> = {
  script:
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with let static yield await',
  python:
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
  rust: 'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while abstract become box do final macro override priv typeof unsized virtual yield try',
  go: 'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var',
  java: 'abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for goto if implements import instanceof int interface long native new package private protected public return short static strictfp super switch synchronized this throw throws transient try void volatile while true false null',
  c: 'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while',
};

/** True for a word that a language keeps for itself. */
export function isReserved(ecosystem: string, word: string): boolean {
  return (RESERVED[ecosystem] ?? '').split(' ').includes(word);
}

/** Paths in groups that one structural edit can take. */
export function groupByLanguage(paths: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const id = familyOf(path)?.id ?? extensionOf(path);
    groups.set(id, [...(groups.get(id) ?? []), path]);
  }
  return groups;
}
