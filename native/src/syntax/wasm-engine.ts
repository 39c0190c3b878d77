/** The WASM engine: parses with web-tree-sitter and does the same work as `crates/syntax`, on one thread. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Node, Tree } from 'web-tree-sitter';
import { type CallLimits, linkLimits } from '../task.ts';
import type { Batch, BatchFile, BatchJob, BatchSource } from './batch.ts';
import type { Rule, SyntaxEdit, SyntaxIssue, SyntaxMatch, SyntaxSymbol, TreeNode } from './contract.ts';
import type { Grammars } from './grammars.ts';
import { detectLanguage, languageByName, type LanguageInfo } from './language-table.ts';
import { GrammarBroke, ParserGaveUp, TURN_MS } from './parsing.ts';
import { PatternError, type Target } from './pattern.ts';
import { findMatches, planEdits } from './queries.ts';
import { admits, type CompiledRule, compileRule, ruleVariables } from './rule.ts';
import { SourceText } from './source-text.ts';
import { symbolsOf } from './symbols.ts';
import { compileTemplate, type Template, unboundVariable } from './template.ts';

/** A parsed text. Its tree is freed by whoever parsed it: its memory is not garbage collected. */
export interface ParsedText {
  readonly info: LanguageInfo;
  readonly source: SourceText;
  readonly tree: Tree;
}

interface FileItems<T> {
  readonly items: readonly T[];
  readonly overlapping?: number;
  readonly issues?: readonly FileIssue[];
}

type FileIssue = Pick<SyntaxIssue, 'kind' | 'message'>;

type NamedSource = Exclude<BatchSource, string>;

type Work<T> = (
  target: Target,
  text: string,
  signal: AbortSignal,
  path: string,
) => FileItems<T> | Promise<FileItems<T>>;

type Outcome<T> =
  | { readonly type: 'searched'; readonly language: string; readonly result: FileItems<T> }
  | { readonly type: 'skipped' }
  | { readonly type: 'deferred'; readonly language: string };

const NOTHING = { items: [] };

/** The operations over WASM grammars, in the raw form that the addon also answers in. */
export class WasmEngine {
  readonly #grammars: Grammars;

  constructor(grammars: Grammars) {
    this.#grammars = grammars;
  }

  /** Parses one text and works on its tree; the language must have a grammar. */
  async onText<T>(
    content: string,
    info: LanguageInfo,
    limits: CallLimits,
    work: (parsed: ParsedText) => T,
  ): Promise<T> {
    const linked = linkLimits(limits);
    try {
      return await withTree(await this.#target(info), content, linked.signal, work);
    } finally {
      linked.dispose();
    }
  }

  search(job: BatchJob, rules: readonly Rule[], maxText: number, limits: CallLimits): Promise<Batch<SyntaxMatch>> {
    const queries = new Queries(rules);
    return this.#run(job, limits, queries, (target, text, signal, path) => {
      const query = queries.get(target);
      if (query === undefined || !query.some((rule) => admits(rule, text))) return NOTHING;
      return withTree(target, text, signal, (parsed) => ({
        items: findMatches(parsed, query, path, job.enough, maxText),
        issues: syntaxIssues(parsed, 'matches may be missing'),
      }));
    });
  }

  rewrite(
    job: BatchJob,
    ops: readonly (readonly [Rule, string])[],
    allowErrors: boolean,
    limits: CallLimits,
  ): Promise<Batch<SyntaxEdit>> {
    const templates: Template[] = ops.map(([, template]) => compileTemplate(template));
    const queries = new Queries(
      ops.map(([rule]) => rule),
      templates,
    );
    return this.#run(job, limits, queries, (target, text, signal) => {
      const query = queries.get(target);
      if (query === undefined || !query.some((rule) => admits(rule, text))) return NOTHING;
      return withTree(target, text, signal, (parsed) => {
        const issues = syntaxIssues(parsed, 'it was left as it is');
        if (issues.length > 0 && !allowErrors) return { items: [], issues };
        const { edits, overlapping } = planEdits(parsed, query, templates);
        return { items: edits, overlapping, issues };
      });
    });
  }

  symbolIndex(job: BatchJob, limits: CallLimits): Promise<Batch<SyntaxSymbol>> {
    return this.#run(job, limits, new Queries([]), (target, text, signal) => {
      if (target.info.symbols.length === 0) return NOTHING;
      return withTree(target, text, signal, (parsed) => ({
        items: symbolsOf(parsed.tree.rootNode, parsed.info, parsed.source),
        issues: syntaxIssues(parsed, 'symbols may be missing'),
      }));
    });
  }

  async #target(info: LanguageInfo): Promise<Target> {
    return { info, grammar: await this.#grammars.load(info) };
  }

  async #run<T>(job: BatchJob, limits: CallLimits, queries: Queries, work: Work<T>): Promise<Batch<T>> {
    const linked = linkLimits(limits);
    const { signal } = linked;
    const files: BatchFile<T>[] = [];
    const skipped: number[] = [];
    const deferred: [number, string][] = [];
    const missingGrammars: Record<string, string> = {};
    let items = 0;
    let processed = 0;
    let turnEnds = performance.now() + TURN_MS;
    try {
      for (const [index, given] of job.sources.entries()) {
        const source: NamedSource = typeof given === 'string' ? { path: given } : given;
        if (performance.now() >= turnEnds) {
          await setImmediate();
          turnEnds = performance.now() + TURN_MS;
        }
        signal.throwIfAborted();
        const outcome = await this.#searchSource(job, source, missingGrammars, (target, text) =>
          work(target, text, signal, source.path),
        );
        processed = index + 1;
        if (outcome.type === 'skipped') skipped.push(index);
        else if (outcome.type === 'deferred') deferred.push([index, outcome.language]);
        else {
          const { items: own, overlapping = 0, issues = [] } = outcome.result;
          if (own.length > 0 || issues.length > 0 || overlapping > 0) {
            files.push({ index, language: outcome.language, items: own, overlapping, issues });
          }
          items += own.length;
          if (items >= job.enough) break;
        }
      }
    } finally {
      linked.dispose();
    }
    return { files, skipped, deferred, patternIssues: queries.issues(), missingGrammars, processed };
  }

  async #searchSource<T>(
    job: BatchJob,
    source: NamedSource,
    missingGrammars: Record<string, string>,
    work: (target: Target, text: string) => FileItems<T> | Promise<FileItems<T>>,
  ): Promise<Outcome<T>> {
    const named = job.language ?? source.language;
    const byPath = (named === undefined ? undefined : languageByName(named)) ?? detectLanguage(source.path);
    const without = byPath && this.#missing(byPath, missingGrammars);
    if (without !== undefined) return without;
    const text = await readSource(job, source, byPath === undefined);
    if (text === undefined) return { type: 'skipped' };
    if (typeof text !== 'string') {
      return { type: 'searched', language: byPath?.id ?? '', result: { items: [], issues: [text] } };
    }
    const info = byPath ?? detectLanguage(source.path, text.split('\n', 1)[0]);
    if (info === undefined) return { type: 'skipped' };
    const missing = this.#missing(info, missingGrammars);
    if (missing !== undefined) return missing;
    try {
      return { type: 'searched', language: info.id, result: await work(await this.#target(info), text) };
    } catch (error) {
      if (error instanceof ParserGaveUp) {
        const issue: FileIssue = { kind: 'gave-up', message: error.message };
        return { type: 'searched', language: info.id, result: { items: [], issues: [issue] } };
      }
      if (!(error instanceof GrammarBroke)) throw error;
      missingGrammars[info.id] = error.message;
      return { type: 'deferred', language: info.id };
    }
  }

  #missing(info: LanguageInfo, missingGrammars: Record<string, string>): Outcome<never> | undefined {
    const file = this.#grammars.find(info);
    if (file.ok) return undefined;
    missingGrammars[info.id] = file.reason;
    return { type: 'deferred', language: info.id };
  }
}

/** The 1-based line of the first error or missing node, if any. */
export function firstErrorLine(root: Node): number | undefined {
  if (!root.hasError) return undefined;
  let node = root;
  while (!node.isError && !node.isMissing) {
    const next = node.children.find((child) => child !== null && (child.hasError || child.isMissing));
    if (!next) break;
    node = next;
  }
  return node.startPosition.row + 1;
}

/** Deeper nodes are left out and their ancestor is marked as an error. */
const MAX_TREE_DEPTH = 400;

/** The syntax tree of a parsed text as plain data. */
export function treeOf(parsed: ParsedText): TreeNode {
  const cursor = parsed.tree.walk();
  const build = (depth: number): TreeNode => {
    const node = cursor.currentNode;
    const field = cursor.currentFieldName;
    const children: TreeNode[] = [];
    const tooDeep = depth >= MAX_TREE_DEPTH && node.childCount > 0;
    if (!tooDeep && cursor.gotoFirstChild()) {
      do children.push(build(depth + 1));
      while (cursor.gotoNextSibling());
      cursor.gotoParent();
    }
    return {
      kind: node.type,
      ...(field === null ? {} : { field }),
      start: parsed.source.byte(node.startIndex),
      end: parsed.source.byte(node.endIndex),
      ...(node.isNamed ? {} : { anonymous: true }),
      ...(node.isError || tooDeep ? { error: true } : {}),
      ...(node.isMissing ? { missing: true } : {}),
      ...(children.length === 0 ? {} : { children }),
    };
  };
  const root = build(0);
  cursor.delete();
  return root;
}

/** Parses a text, works on its tree and frees it. */
async function withTree<T>(
  { info, grammar }: Target,
  content: string,
  signal: AbortSignal,
  work: (parsed: ParsedText) => T,
): Promise<T> {
  const tree = await grammar.parse(content, signal);
  try {
    return work({ info, source: new SourceText(content), tree });
  } catch (error) {
    throw grammar.broke(error);
  } finally {
    tree.delete();
  }
}

function syntaxIssues(parsed: ParsedText, effect: string): FileIssue[] {
  const line = firstErrorLine(parsed.tree.rootNode);
  return line === undefined ? [] : [{ kind: 'syntax-error', message: `syntax error at line ${line}; ${effect}` }];
}

/** Rules compiled once per language that turns up. */
class Queries {
  readonly #rules: readonly Rule[];
  readonly #templates: readonly Template[];
  readonly #compiled = new Map<string, readonly CompiledRule[] | PatternError>();

  /** `templates` are what the matches of the rules become; none in a search. */
  constructor(rules: readonly Rule[], templates: readonly Template[] = []) {
    this.#rules = rules;
    this.#templates = templates;
  }

  get(target: Target): readonly CompiledRule[] | undefined {
    const { id } = target.info;
    let query = this.#compiled.get(id);
    if (query === undefined) {
      query = this.#compile(target);
      this.#compiled.set(id, query);
    }
    return query instanceof PatternError ? undefined : query;
  }

  issues(): Record<string, string> {
    const errors = [...this.#compiled].filter(([, query]) => query instanceof PatternError);
    return Object.fromEntries(
      errors
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([id, error]) => [id, (error as PatternError).message]),
    );
  }

  #compile(target: Target): readonly CompiledRule[] | PatternError {
    try {
      if (this.#rules.length === 0) return new PatternError('give at least one pattern or rule');
      const compiled = this.#rules.map((rule) => compileRule(rule, target));
      compiled.forEach((rule, at) => checkTemplate(rule, this.#templates[at]));
      return compiled;
    } catch (error) {
      if (error instanceof PatternError) return error;
      throw error;
    }
  }
}

/** Throws when a template has a variable that its rule does not bind: it would vanish from the text without a word. */
function checkTemplate(rule: CompiledRule, template: Template | undefined): void {
  if (template === undefined) return;
  const bound = [...new Set(ruleVariables(rule))].toSorted();
  const unbound = unboundVariable(template, bound);
  if (unbound === undefined) return;
  const known = bound.length === 0 ? 'no variable' : bound.map((variable) => `\`${variable}\``).join(', ');
  throw new PatternError(
    `the replacement has \`${unbound}\`, but the pattern binds ${known}; use only what the pattern binds`,
  );
}

/** A source's text, an issue, or nothing when it is of no known language and not a script. */
async function readSource(
  job: BatchJob,
  source: NamedSource,
  unknown: boolean,
): Promise<string | FileIssue | undefined> {
  const tooLarge = (size: number): FileIssue => ({
    kind: 'too-large',
    message: `${size} bytes, over the limit of ${job.maxFileBytes}; raise the limit to include it`,
  });
  if (source.content !== undefined) {
    const size = Buffer.byteLength(source.content);
    return size > job.maxFileBytes ? tooLarge(size) : source.content;
  }
  try {
    const file = await open(join(job.root ?? '', source.path));
    try {
      if (unknown) {
        const start = Buffer.alloc(2);
        const { bytesRead } = await file.read(start, 0, 2, 0);
        if (bytesRead < 2 || start.toString('latin1') !== '#!') return undefined;
      }
      const { size } = await file.stat();
      if (size > job.maxFileBytes) return tooLarge(size);
      return decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string') throw error;
    return { kind: 'unreadable', message: `cannot be read: ${READ_ERRORS[code] ?? 'input/output error'}` };
  }
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | FileIssue {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: 'not-utf8', message: 'is not UTF-8 text; convert it to search its structure' };
  }
}
