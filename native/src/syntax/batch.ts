/**
 * What an engine answers for many sources, and how answers become results. Both engines give the same raw form; what
 * is counted, cut and merged is decided here, once.
 */
import type {
  FileRewrite,
  FileSymbols,
  RewriteResult,
  SearchResult,
  SourceInput,
  SourcesReport,
  SymbolIndex,
  SyntaxEdit,
  SyntaxIssue,
  SyntaxMatch,
  SyntaxSymbol,
} from './contract.ts';
import { languageByName } from './language-table.ts';
import { wellFormed } from './source-text.ts';

/** One source as an engine takes it; a path alone stands for a file, so that thousands of them need no objects. */
export type BatchSource = string | Exclude<SourceInput, string>;

/** Work over many sources as an engine takes it. */
export interface BatchJob {
  readonly sources: readonly BatchSource[];
  /** The language of all sources, whatever they say themselves. */
  readonly language?: string;
  readonly root?: string;
  readonly maxFileBytes: number;
  /** Stop once the sources from the start on hold this many items. */
  readonly enough: number;
}

/** The items of one source. */
export interface BatchFile<T> {
  readonly index: number;
  readonly language: string;
  readonly items?: readonly T[];
  readonly overlapping?: number;
  readonly issues?: readonly Pick<SyntaxIssue, 'kind' | 'message'>[];
}

/** An engine's answer. Sources without items and issues are not listed. */
export interface Batch<T> {
  readonly files: readonly BatchFile<T>[];
  readonly skipped: readonly number[];
  /** Sources whose language this engine has no grammar for. */
  readonly deferred: readonly (readonly [index: number, language: string])[];
  readonly patternIssues: Readonly<Record<string, string>>;
  /** Languages for which there is no grammar at all, with what to do. */
  readonly missingGrammars?: Readonly<Record<string, string>>;
  /** How many sources, from the start on, the answer covers. */
  readonly processed: number;
}

/** More issues than a person or a model reads are dropped. */
const MAX_ISSUES = 1_000;
const DEFAULT_MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The job for an engine. */
export function toJob(
  options: {
    readonly sources: readonly SourceInput[];
    readonly root?: string | undefined;
    readonly maxFileBytes?: number | undefined;
  },
  language: string | undefined,
  enough: number,
): BatchJob {
  const toSource = (input: SourceInput): BatchSource => {
    if (typeof input === 'string') return input;
    const named = input.language === undefined ? undefined : languageByName(input.language)?.id;
    return {
      path: input.path,
      ...(named === undefined ? {} : { language: named }),
      ...(input.content === undefined ? {} : { content: wellFormed(input.content) }),
    };
  };
  const isPath = (input: SourceInput): boolean => typeof input === 'string';
  return {
    sources: options.sources.every(isPath) ? options.sources : options.sources.map(toSource),
    ...(language === undefined ? {} : { language }),
    ...(options.root === undefined ? {} : { root: options.root }),
    maxFileBytes: options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES,
    enough,
  };
}

/** Puts the answer for deferred sources into the answer that deferred them. */
export function mergeBatches<T>(first: Batch<T>, second: Batch<T>, indexes: readonly number[]): Batch<T> {
  const original = (index: number): number => indexes[index] ?? index;
  return {
    files: [...first.files, ...second.files.map((file) => ({ ...file, index: original(file.index) }))].toSorted(
      (left, right) => left.index - right.index,
    ),
    skipped: [...first.skipped, ...second.skipped.map(original)],
    deferred: second.deferred.map(([index, language]) => [original(index), language] as const),
    patternIssues: { ...first.patternIssues, ...second.patternIssues },
    missingGrammars: { ...second.missingGrammars },
    // The second engine may have stopped at its share of enough items.
    processed: Math.min(first.processed, second.processed < indexes.length ? original(second.processed) : Infinity),
  };
}

/** Matches `offset` to `offset + limit` of a batch. */
export function toSearchResult(batch: Batch<SyntaxMatch>, job: BatchJob, offset: number, limit: number): SearchResult {
  const matches: SyntaxMatch[] = [];
  let count = 0;
  let filesWithMatches = 0;
  let cut = batch.processed;
  for (const file of batch.files) {
    const items = file.items ?? [];
    if (items.length > 0) filesWithMatches += 1;
    for (const item of items) {
      if (count >= offset && count < offset + limit) matches.push(item);
      count += 1;
    }
    if (count > offset + limit) {
      cut = file.index + 1;
      break;
    }
  }
  return { matches, filesWithMatches, ...report(batch, job, cut, count > offset + limit) };
}

/** The edits of a batch, at most `maxEdits`, whole files only. */
export function toRewriteResult(batch: Batch<SyntaxEdit>, job: BatchJob, maxEdits: number): RewriteResult {
  const { whole, cut } = wholeFiles(batch, maxEdits);
  const files = whole
    .filter((file) => (file.items ?? []).length > 0)
    .map((file): FileRewrite => ({
      path: pathOf(job, file.index),
      language: file.language,
      edits: file.items ?? [],
      overlapping: file.overlapping ?? 0,
    }));
  const edits = files.reduce((sum, file) => sum + file.edits.length, 0);
  return { files, edits, ...report(batch, job, cut ?? batch.processed, cut !== undefined) };
}

/** The symbols of a batch, at most `maxSymbols`, whole files only. */
export function toSymbolIndex(batch: Batch<SyntaxSymbol>, job: BatchJob, maxSymbols: number): SymbolIndex {
  const { whole, cut } = wholeFiles(batch, maxSymbols);
  const files = whole
    .filter((file) => (file.items ?? []).length > 0)
    .map((file): FileSymbols => ({
      path: pathOf(job, file.index),
      language: file.language,
      symbols: file.items ?? [],
    }));
  return { files, ...report(batch, job, cut ?? batch.processed, cut !== undefined) };
}

/** The files before the one whose items would go over the limit, and that file's index. */
function wholeFiles<T>(batch: Batch<T>, limit: number): { whole: BatchFile<T>[]; cut: number | undefined } {
  const whole: BatchFile<T>[] = [];
  let count = 0;
  for (const file of batch.files) {
    count += file.items?.length ?? 0;
    if (count > limit) return { whole, cut: file.index };
    whole.push(file);
  }
  return { whole, cut: undefined };
}

function report<T>(batch: Batch<T>, job: BatchJob, cut: number, limitReached: boolean): SourcesReport {
  const issues: SyntaxIssue[] = [];
  for (const [language, message] of Object.entries(batch.patternIssues)) {
    issues.push({ kind: 'pattern', language, message });
  }
  for (const [language, message] of Object.entries(batch.missingGrammars ?? {})) {
    issues.push({ kind: 'no-grammar', language, message });
  }
  const givenUp = new Map<string, { language: string; reason: string; files: number[] }>();
  for (const file of batch.files) {
    if (file.index >= cut) break;
    for (const issue of file.issues ?? []) {
      if (issue.kind !== 'gave-up') issues.push({ ...issue, path: pathOf(job, file.index) });
      else {
        const [key, reason] = [`${file.language} ${issue.message}`, issue.message];
        const known = givenUp.get(key);
        if (known === undefined) givenUp.set(key, { language: file.language, reason, files: [file.index] });
        else known.files.push(file.index);
      }
    }
  }
  for (const { language, reason, files } of givenUp.values()) {
    const [first = 0, ...others] = files;
    issues.push(gaveUp(language, reason, pathOf(job, first), others.length));
  }
  const within = (index: number): boolean => index < cut;
  const skipped = batch.skipped.filter(within).length;
  const deferred = batch.deferred.filter(([index]) => within(index)).length;
  return {
    filesSearched: cut - skipped - deferred,
    filesSkipped: skipped,
    limitReached,
    issues: issues.slice(0, MAX_ISSUES),
  };
}

/** One issue for all files of a language that were given up for one reason: mostly its grammar is the cause, not the files. */
function gaveUp(language: string, reason: string, path: string, others: number): SyntaxIssue {
  const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'file' : 'files'}`;
  const message = `${reason}; left out${more}`;
  return { kind: 'gave-up', language, path, message };
}

/** The path that a source is reported under. */
export function pathOf(job: BatchJob, index: number): string {
  const source = job.sources[index] ?? '';
  return typeof source === 'string' ? source : source.path;
}
