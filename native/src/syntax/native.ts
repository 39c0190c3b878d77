/** The addon's syntax accelerator; languages whose grammar is not linked in go to the WASM engine. */
import type { Addon, CancelHandle } from '../addon.ts';
import { callNative, type CallLimits } from '../task.ts';
import { type Batch, type BatchFile, type BatchJob, mergeBatches } from './batch.ts';
import type {
  Outline,
  Rule,
  SourceRange,
  Syntax,
  SyntaxEdit,
  SyntaxMatch,
  SyntaxSymbol,
  TreeNode,
} from './contract.ts';
import { Grammars } from './grammars.ts';
import { createSyntax, type Engine } from './operations.ts';
import { unpackMatches } from './packed-matches.ts';
import { ParserGaveUp } from './parsing.ts';

/** Adapts the addon to the contract. */
export function fromAddon(addon: Addon): Syntax {
  const grammars = new Grammars();
  let other: Promise<Engine> | undefined;
  // Imported when the first source of such a language turns up: most projects never need it.
  const wasm = (): Promise<Engine> => (other ??= import('./wasm.ts').then(({ wasmEngine }) => wasmEngine(grammars)));

  const ask = async <T>(start: (cancel: CancelHandle) => Promise<string>, limits: CallLimits): Promise<T> => {
    const answer: T & { readonly gaveUp?: string } = JSON.parse(await callNative(addon, start, limits));
    if (answer.gaveUp !== undefined) throw new ParserGaveUp(answer.gaveUp);
    return answer;
  };

  const askMatches = async (
    job: BatchJob,
    rules: readonly Rule[],
    maxText: number,
    limits: CallLimits,
  ): Promise<Batch<SyntaxMatch>> => {
    const request = JSON.stringify({ job, rules, maxText });
    return unpackMatches(await callNative(addon, (cancel) => addon.syntaxSearch(request, cancel), limits), job);
  };

  const askBatch = async <Raw, T>(
    start: (cancel: CancelHandle) => Promise<string[]>,
    inflate: (item: Raw) => T,
    limits: CallLimits,
  ): Promise<Batch<T>> => {
    const [batch = '{}', ...files] = await callNative(addon, start, limits);
    const read = (text: string): BatchFile<T> => {
      const file: BatchFile<Raw> = JSON.parse(text);
      return { ...file, items: (file.items ?? []).map(inflate) };
    };
    return { ...JSON.parse(batch), files: files.map(read) };
  };

  /** Runs the addon, then the WASM engine for what the addon has put aside. */
  async function both<T>(
    job: BatchJob,
    native: (job: BatchJob) => Promise<Batch<T>>,
    rest: (engine: Engine, job: BatchJob) => Promise<Batch<T>>,
  ): Promise<Batch<T>> {
    const first = await native(job);
    if (first.deferred.length === 0) return first;
    const indexes = first.deferred.map(([index]) => index);
    const sources = indexes.flatMap((index) => job.sources[index] ?? []);
    return mergeBatches(first, await rest(await wasm(), { ...job, sources }), indexes);
  }

  return createSyntax({
    engineOf: (info) => (info.native ? 'native' : grammars.find(info).ok ? 'wasm' : 'none'),
    reasonAgainst(info) {
      const file = grammars.find(info);
      return file.ok ? '' : file.reason;
    },
    search: (whole, rules, maxText, limits) =>
      both(
        whole,
        (job) => askMatches(job, rules, maxText, limits),
        (engine, job) => engine.search(job, rules, maxText, limits),
      ),
    rewrite: (whole, ops, allowErrors, limits) =>
      both(
        whole,
        (job) =>
          askBatch((cancel) => addon.syntaxRewrite(JSON.stringify({ job, ops, allowErrors }), cancel), toEdit, limits),
        (engine, job) => engine.rewrite(job, ops, allowErrors, limits),
      ),
    symbolIndex: (whole, limits) =>
      both(
        whole,
        (job) => askBatch((cancel) => addon.syntaxIndex(JSON.stringify(job), cancel), toSymbol, limits),
        (engine, job) => engine.symbolIndex(job, limits),
      ),
    async outline(content, info, thresholds, limits) {
      if (!info.native) return (await wasm()).outline(content, info, thresholds, limits);
      const options = JSON.stringify(thresholds);
      return ask<Outline>((cancel) => addon.syntaxOutline(content, info.id, options, cancel), limits);
    },
    async symbols(content, info, limits) {
      if (!info.native) return (await wasm()).symbols(content, info, limits);
      const symbols = await ask<Raw<SyntaxSymbol>[]>((cancel) => addon.syntaxSymbols(content, info.id, cancel), limits);
      return symbols.map(toSymbol);
    },
    async tree(content, info, limits) {
      if (!info.native) return (await wasm()).tree(content, info, limits);
      return ask<TreeNode>((cancel) => addon.syntaxTree(content, info.id, cancel), limits);
    },
  });
}

type RawRange = readonly [number, number, number, number, number, number];
type Raw<T extends { range: SourceRange }> = Omit<T, 'range'> & { readonly range: RawRange };

function toRange([byteStart, byteEnd, startLine, startColumn, endLine, endColumn]: RawRange): SourceRange {
  return { byteStart, byteEnd, startLine, startColumn, endLine, endColumn };
}

function toEdit(raw: Raw<SyntaxEdit>): SyntaxEdit {
  return { ...raw, range: toRange(raw.range) };
}

function toSymbol(raw: Raw<SyntaxSymbol>): SyntaxSymbol {
  return { ...raw, range: toRange(raw.range) };
}
