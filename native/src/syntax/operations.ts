/** The contract on top of an engine: defaults, language choice, limits and the shell reader, the same for both. */
import type { CallLimits } from '../task.ts';
import { readBash } from './bash.ts';
import { type Batch, type BatchJob, toJob, toRewriteResult, toSearchResult, toSymbolIndex } from './batch.ts';
import type {
  Outline,
  Rule,
  SearchOptions,
  SourcesOptions,
  SourcesReport,
  Syntax,
  SyntaxEdit,
  SyntaxMatch,
  SyntaxSymbol,
  TextOptions,
  TextResult,
  TreeNode,
} from './contract.ts';
import { detectLanguage, LANGUAGES, languageByName, type LanguageInfo } from './language-table.ts';
import { DEFAULT_THRESHOLDS, type OutlineThresholds } from './outline.ts';
import { GrammarBroke, ParserGaveUp } from './parsing.ts';
import { wellFormed } from './source-text.ts';

/** What an implementation brings: the raw operations, for the languages it has a grammar of. */
export interface Engine {
  /** What parses a language here. */
  engineOf(info: LanguageInfo): 'native' | 'wasm' | 'none';
  /** Why a language cannot be parsed, and what to do. */
  reasonAgainst(info: LanguageInfo): string;
  search(job: BatchJob, rules: readonly Rule[], maxText: number, limits: CallLimits): Promise<Batch<SyntaxMatch>>;
  rewrite(
    job: BatchJob,
    ops: readonly (readonly [Rule, string])[],
    allowErrors: boolean,
    limits: CallLimits,
  ): Promise<Batch<SyntaxEdit>>;
  symbolIndex(job: BatchJob, limits: CallLimits): Promise<Batch<SyntaxSymbol>>;
  outline(content: string, info: LanguageInfo, thresholds: OutlineThresholds, limits: CallLimits): Promise<Outline>;
  symbols(content: string, info: LanguageInfo, limits: CallLimits): Promise<readonly SyntaxSymbol[]>;
  tree(content: string, info: LanguageInfo, limits: CallLimits): Promise<TreeNode>;
}

const DEFAULT_LIMIT = 1_000;
const DEFAULT_MAX_TEXT = 10_000;
const DEFAULT_MAX_EDITS = 10_000;
const DEFAULT_MAX_SYMBOLS = 200_000;

/** Makes the contract of an engine. */
export function createSyntax(engine: Engine): Syntax {
  return {
    languages: () =>
      LANGUAGES.map((info) => ({
        id: info.id,
        aliases: info.aliases,
        extensions: info.extensions,
        engine: engine.engineOf(info),
      })),

    detectLanguage: (path, firstLine) => detectLanguage(path, firstLine)?.id,

    async search(options) {
      const chosen = chooseLanguage(options);
      if (typeof chosen === 'object') return { matches: [], filesWithMatches: 0, ...chosen };
      const offset = atLeast(0, options.offset ?? 0);
      const limit = atLeast(1, options.limit ?? DEFAULT_LIMIT);
      const job = toJob(options, chosen, offset + limit + 1);
      const maxText = atLeast(1, options.maxText ?? DEFAULT_MAX_TEXT);
      const batch = await engine.search(job, rulesOf(options), maxText, options);
      return toSearchResult(batch, job, offset, limit);
    },

    async rewrite(options) {
      const chosen = chooseLanguage(options);
      if (typeof chosen === 'object') return { files: [], edits: 0, ...chosen };
      const maxEdits = atLeast(1, options.maxEdits ?? DEFAULT_MAX_EDITS);
      const job = toJob(options, chosen, maxEdits + 1);
      const ops = options.operations.map(({ rule, template }) => [rule, wellFormed(template)] as const);
      return toRewriteResult(await engine.rewrite(job, ops, options.allowErrors ?? false, options), job, maxEdits);
    },

    async symbolIndex(options) {
      const chosen = chooseLanguage(options);
      if (typeof chosen === 'object') return { files: [], ...chosen };
      const maxSymbols = atLeast(1, options.maxSymbols ?? DEFAULT_MAX_SYMBOLS);
      const job = toJob(options, chosen, maxSymbols + 1);
      return toSymbolIndex(await engine.symbolIndex(job, options), job, maxSymbols);
    },

    outline: (options) =>
      onText(engine, options, (content, info) => {
        const thresholds = {
          minBodyLines: options.minBodyLines ?? DEFAULT_THRESHOLDS.minBodyLines,
          minLiteralLines: options.minLiteralLines ?? DEFAULT_THRESHOLDS.minLiteralLines,
          minCommentLines: options.minCommentLines ?? DEFAULT_THRESHOLDS.minCommentLines,
        };
        return engine.outline(content, info, thresholds, options);
      }),

    symbols: (options) => onText(engine, options, (content, info) => engine.symbols(content, info, options)),

    tree: (options) => onText(engine, options, (content, info) => engine.tree(content, info, options)),

    async parseBash(command, limits = {}) {
      const content = wellFormed(command);
      const info = languageByName('bash');
      if (info === undefined) throw new Error('the language table has no bash');
      return readBash(await bashTree(engine, content, info, limits), content);
    },
  };
}

/** The tree of a command. One that the parser gives up on is an error as a whole, so that its judge assumes the worst. */
async function bashTree(engine: Engine, content: string, info: LanguageInfo, limits: CallLimits): Promise<TreeNode> {
  try {
    return await engine.tree(content, info, limits);
  } catch (error) {
    if (!(error instanceof ParserGaveUp)) throw error;
    return { kind: 'ERROR', start: 0, end: Buffer.byteLength(content), error: true };
  }
}

async function onText<T>(
  engine: Engine,
  options: TextOptions,
  work: (content: string, info: LanguageInfo) => Promise<T>,
): Promise<TextResult<T>> {
  const content = wellFormed(options.content);
  const info = textLanguage(options, content);
  if (typeof info === 'string') return { ok: false, reason: info };
  if (engine.engineOf(info) === 'none') return { ok: false, reason: engine.reasonAgainst(info) };
  try {
    return { ok: true, value: await work(content, info) };
  } catch (error) {
    if (error instanceof ParserGaveUp || error instanceof GrammarBroke) return { ok: false, reason: error.message };
    throw error;
  }
}

function textLanguage(options: TextOptions, content: string): LanguageInfo | string {
  if (options.language !== undefined) return languageByName(options.language) ?? unknownLanguage(options.language);
  const info = detectLanguage(options.path ?? '', content.split('\n', 1)[0]);
  return info ?? `cannot tell the language of ${options.path ?? 'the text'}; pass \`language\``;
}

/** The id of the language for all sources, undefined for detection, or a report that it is not known. */
function chooseLanguage(options: SourcesOptions): string | undefined | SourcesReport {
  if (options.language === undefined) return undefined;
  const info = languageByName(options.language);
  if (info !== undefined) return info.id;
  const message = unknownLanguage(options.language);
  return {
    filesSearched: 0,
    filesSkipped: 0,
    limitReached: false,
    issues: [{ kind: 'no-grammar', language: options.language, message }],
  };
}

function unknownLanguage(name: string): string {
  return `\`${name}\` is not a known language; \`languages()\` lists the ids and aliases`;
}

function rulesOf(options: SearchOptions): Rule[] {
  const { selector, strictness } = options;
  const patterns = (options.patterns ?? []).map((pattern): Rule => ({
    pattern: wellFormed(pattern),
    ...(selector === undefined ? {} : { selector }),
    ...(strictness === undefined ? {} : { strictness }),
  }));
  return [...patterns, ...(options.rules ?? [])];
}

/** A whole number that is not below the least sensible one; the addon counts in unsigned integers. */
function atLeast(least: number, value: number): number {
  return Math.min(Math.max(least, Number.isFinite(value) ? Math.floor(value) : Number.MAX_SAFE_INTEGER), 2 ** 31);
}
