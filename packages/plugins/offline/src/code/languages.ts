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

/** Paths in groups that one structural edit can take. */
export function groupByLanguage(paths: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const id = familyOf(path)?.id ?? extensionOf(path);
    groups.set(id, [...(groups.get(id) ?? []), path]);
  }
  return groups;
}
