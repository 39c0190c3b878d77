/**
 * Structure-aware reading of source text. One contract, two implementations: the addon (ast-grep over linked-in
 * grammars) and WebAssembly (our matcher over web-tree-sitter). Nothing here ever writes a file.
 */
import type { CallLimits } from '../task.ts';
import type { BashScript } from './bash-contract.ts';

/** Byte offsets in the UTF-8 text, and 1-based lines and 1-based UTF-16 columns; the end is exclusive. */
export interface SourceRange {
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * How exactly a pattern has to fit. `cst`: every token. `smart`: the pattern's tokens, other tokens and comments of
 * the source are free. `ast`: named nodes only. `relaxed`: as `ast`, comments are free. `signature`: as `relaxed`,
 * kinds only, text is free.
 */
export type Strictness = 'cst' | 'smart' | 'ast' | 'relaxed' | 'signature';

/** A conjunction of the parts it has; metavariables are shared by all of them. */
export interface Rule {
  /** Code with `$NAME` for one node, `$$$NAME` for any number, `$_` and `$$$` without a name. */
  readonly pattern?: string | undefined;
  /** The node kind inside the parsed pattern that is the pattern proper. */
  readonly selector?: string | undefined;
  readonly strictness?: Strictness | undefined;
  readonly kind?: string | undefined;
  /** Must match somewhere in the node's text; the syntax that Rust's `regex` and JavaScript share. */
  readonly regex?: string | undefined;
  readonly all?: readonly Rule[] | undefined;
  readonly any?: readonly Rule[] | undefined;
  readonly not?: Rule | undefined;
  readonly inside?: RelatedRule | undefined;
  readonly has?: RelatedRule | undefined;
  readonly follows?: RelatedRule | undefined;
  readonly precedes?: RelatedRule | undefined;
}

/** A rule for a node nearby; `neighbor` looks one step far, `end` all the way, a rule up to where it matches. */
export interface RelatedRule extends Rule {
  readonly stopBy?: 'neighbor' | 'end' | Rule | undefined;
}

/** A file by its path, or a text with the path it is reported under. */
export type SourceInput =
  | string
  | { readonly path: string; readonly content?: string | undefined; readonly language?: string | undefined };

/** What every operation over many sources takes. */
export interface SourcesOptions extends CallLimits {
  readonly sources: readonly SourceInput[];
  /** Paths are read relative to it; the working directory when absent. */
  readonly root?: string | undefined;
  /** The language of all sources, instead of detection. */
  readonly language?: string | undefined;
  /** Larger files become an issue; 4 MiB when absent. */
  readonly maxFileBytes?: number | undefined;
}

/** Something that limits the result: one file, or one language for which a rule cannot be used. */
export interface SyntaxIssue {
  readonly kind: 'unreadable' | 'not-utf8' | 'too-large' | 'pattern' | 'syntax-error' | 'no-grammar' | 'gave-up';
  readonly path?: string;
  readonly language?: string;
  readonly message: string;
}

/** What is looked for: patterns (with a common selector and strictness) or rules. */
export interface SearchOptions extends SourcesOptions {
  readonly patterns?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly strictness?: Strictness | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** How many matches to skip; 0 when absent. */
  readonly offset?: number | undefined;
  /** How many matches to give; 1,000 when absent. The work stops as soon as there are more. */
  readonly limit?: number | undefined;
  /** Longer texts of matches and captures are cut to this many UTF-16 units; 10,000 when absent. */
  readonly maxText?: number | undefined;
}

/** A piece of a source with its position. */
export interface Excerpt {
  readonly text: string;
  /** The text was cut; the range still covers all of it. */
  readonly truncated?: true;
  readonly range: SourceRange;
}

/** What a metavariable stands for: the node of a `$NAME`, or the nodes of a `$$$NAME` with their separators. */
export type Capture =
  | ({ readonly name: string } & Excerpt)
  | { readonly name: string; readonly nodes: readonly Excerpt[] };

/** One match of a rule. */
export interface SyntaxMatch extends Excerpt {
  readonly path: string;
  readonly language: string;
  /** The index of the pattern (patterns first) or rule that fits. */
  readonly rule: number;
  readonly kind: string;
  /** Sorted by name. */
  readonly captures: readonly Capture[];
}

/** What every operation over many sources reports beside its results. */
export interface SourcesReport {
  /** Sources looked at, up to the one where the limit was reached. */
  readonly filesSearched: number;
  /** Sources of no known language. */
  readonly filesSkipped: number;
  readonly limitReached: boolean;
  /** At most 1,000. */
  readonly issues: readonly SyntaxIssue[];
}

/** Matches in the order of the sources, then of their position. */
export interface SearchResult extends SourcesReport {
  readonly matches: readonly SyntaxMatch[];
  readonly filesWithMatches: number;
}

/** One replacement: what matches becomes the template with the captures filled in. */
export interface RewriteOperation {
  readonly rule: Rule;
  /** An empty template deletes the match. */
  readonly template: string;
}

/** What is to be rewritten. */
export interface RewriteOptions extends SourcesOptions {
  readonly operations: readonly RewriteOperation[];
  /** Also rewrite sources with syntax errors; they are left alone when absent. */
  readonly allowErrors?: boolean | undefined;
  /** At most this many edits; 10,000 when absent. Whole files are kept: no file is planned by half. */
  readonly maxEdits?: number | undefined;
}

/** One replacement in one source. */
export interface SyntaxEdit {
  /** The index of the operation. */
  readonly op: number;
  readonly range: SourceRange;
  readonly before: string;
  readonly after: string;
}

/** The edits of one source, in order and free of overlaps. */
export interface FileRewrite {
  readonly path: string;
  readonly language: string;
  readonly edits: readonly SyntaxEdit[];
  /** Matches left out because they overlap an edit; rewriting the result again finds them. */
  readonly overlapping: number;
}

/** A preview: nothing was written. `applyEdits` makes the new text. */
export interface RewriteResult extends SourcesReport {
  readonly files: readonly FileRewrite[];
  readonly edits: number;
}

/** Which text, and as what. */
export interface TextOptions extends CallLimits {
  readonly content: string;
  /** A language's id or alias; detected by `path` and first line when absent. */
  readonly language?: string | undefined;
  readonly path?: string | undefined;
}

/** From how many lines on something is left out. */
export interface OutlineOptions extends TextOptions {
  /** 3 when absent. */
  readonly minBodyLines?: number | undefined;
  /** 6 when absent. */
  readonly minLiteralLines?: number | undefined;
  /** 6 when absent. */
  readonly minCommentLines?: number | undefined;
}

/**
 * A run of lines, 1-based and inclusive. `elided` says what surrounds a run that is left out: `brace` means that the
 * kept lines before and after hold the delimiters, `indent` that all lines of an indented body go.
 */
export interface OutlineSegment {
  readonly startLine: number;
  readonly endLine: number;
  readonly elided?: 'brace' | 'indent' | 'comment';
}

/** Which lines show the shape of a text. The segments cover every line once. */
export interface Outline {
  readonly language: string;
  readonly lineCount: number;
  readonly elidedLines: number;
  readonly elidedRegions: number;
  readonly firstErrorLine?: number;
  readonly segments: readonly OutlineSegment[];
}

/** One declaration. */
export interface SyntaxSymbol {
  readonly name: string;
  /** function, method, class, interface, struct, enum, trait, type, variable, constant, section, key … */
  readonly kind: string;
  readonly range: SourceRange;
  /** The index of the enclosing symbol in the same list. */
  readonly parent?: number;
}

/** The symbols of one source. */
export interface FileSymbols {
  readonly path: string;
  readonly language: string;
  readonly symbols: readonly SyntaxSymbol[];
}

/** Which sources to list the symbols of. */
export interface SymbolIndexOptions extends SourcesOptions {
  /** At most this many symbols; 200,000 when absent. Whole files are kept. */
  readonly maxSymbols?: number | undefined;
}

/** The symbols of many sources, in their order. */
export interface SymbolIndex extends SourcesReport {
  readonly files: readonly FileSymbols[];
}

/** A node of a syntax tree as plain data; offsets are bytes. */
export interface TreeNode {
  readonly kind: string;
  /** The name of its field in the parent. */
  readonly field?: string;
  readonly start: number;
  readonly end: number;
  /** A token without a name of its own, such as `(`. */
  readonly anonymous?: true;
  readonly error?: true;
  readonly missing?: true;
  readonly children?: readonly TreeNode[];
}

/** A language and what parses it here; `none` until its grammar file is installed. */
export interface LanguageSupport {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly extensions: readonly string[];
  readonly engine: 'native' | 'wasm' | 'none';
}

/** The result of an operation on one text, or why there is none and what to do. */
export type TextResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Structure-aware reading of source text; every implementation gives the same answers. */
export interface Syntax {
  /** Every known language and what parses it. */
  languages(): readonly LanguageSupport[];
  /** A language by file name, extension or the `#!` of its first line. */
  detectLanguage(path: string, firstLine?: string): string | undefined;
  search(options: SearchOptions): Promise<SearchResult>;
  /** Plans a rewrite; nothing is written. */
  rewrite(options: RewriteOptions): Promise<RewriteResult>;
  outline(options: OutlineOptions): Promise<TextResult<Outline>>;
  symbols(options: TextOptions): Promise<TextResult<readonly SyntaxSymbol[]>>;
  symbolIndex(options: SymbolIndexOptions): Promise<SymbolIndex>;
  /** The syntax tree of a text as plain data; subtrees deeper than 400 nodes are left out. */
  tree(options: TextOptions): Promise<TextResult<TreeNode>>;
  /** A shell command as a data tree, for code that judges it. */
  parseBash(command: string, limits?: CallLimits): Promise<BashScript>;
}
