/** The WASM twin of the addon's syntax accelerator. */
import type { Syntax } from './contract.ts';
import { Grammars } from './grammars.ts';
import { languageByName } from './language-table.ts';
import { createSyntax, type Engine } from './operations.ts';
import { outlineOf } from './outline.ts';
import { symbolsOf } from './symbols.ts';
import { firstErrorLine, treeOf, WasmEngine } from './wasm-engine.ts';

/** Where else to look for grammars. */
export interface WasmOptions {
  /** Folders with `tree-sitter-<language>.wasm` files, before those of `TENON_GRAMMARS` and our packages. */
  readonly grammarFolders?: readonly string[] | undefined;
}

/** Makes the WASM implementation; rejects where WASM or its bash grammar cannot be loaded at all. */
export async function createWasm(options: WasmOptions = {}): Promise<Syntax> {
  const grammars = new Grammars(options.grammarFolders);
  const bash = languageByName('bash');
  if (bash !== undefined) await grammars.load(bash);
  return createSyntax(wasmEngine(grammars));
}

/** The engine alone, for the addon's adapter, which hands it the languages that are not linked in. */
export function wasmEngine(grammars: Grammars): Engine {
  const engine = new WasmEngine(grammars);
  return {
    engineOf: (info) => (grammars.find(info).ok ? 'wasm' : 'none'),
    reasonAgainst(info) {
      const file = grammars.find(info);
      return file.ok ? '' : file.reason;
    },
    search: (job, rules, maxText, limits) => engine.search(job, rules, maxText, limits),
    rewrite: (job, ops, allowErrors, limits) => engine.rewrite(job, ops, allowErrors, limits),
    symbolIndex: (job, limits) => engine.symbolIndex(job, limits),
    outline: (content, info, thresholds, limits) =>
      engine.onText(content, info, limits, ({ tree, source }) =>
        outlineOf(tree.rootNode, info, source, thresholds, firstErrorLine(tree.rootNode)),
      ),
    symbols: (content, info, limits) =>
      engine.onText(content, info, limits, ({ tree, source }) => symbolsOf(tree.rootNode, info, source)),
    tree: (content, info, limits) => engine.onText(content, info, limits, treeOf),
  };
}
