/** Parses what plans have read, and keeps what came out: a plan is run again on every turn. */
import { loadAccelerator } from '@tenon/native';
import type { FileFacts } from './code/facts.ts';
import { grammarFor } from './code/grammars/index.ts';
import { type Source, study } from './code/study.ts';
import { linkTree } from './code/syntax-node.ts';
import type { Study } from './plan.ts';

/** Parses for plans. */
export interface Parser {
  /** Fills in the facts. */
  carryOut(task: Study): Promise<void>;
}

type Studied = FileFacts | { readonly problem: string };

/** Facts are small, the trees that they come from are not; those are not kept. */
const MAX_KEPT = 2_000;

/** A parser with a memory of its own. */
export function createParser(): Parser {
  const cache = new Map<string, Studied>();
  return {
    async carryOut({ sources, names, facts }) {
      for (const source of sources) {
        const key = [source.path, ...names, source.text].join('\u0000');
        const studied = cache.get(key) ?? (await parse(source, names));
        if (cache.size >= MAX_KEPT) cache.clear();
        cache.set(key, studied);
        facts.set(source.path, studied);
      }
    },
  };
}

async function parse(source: Source, names: readonly string[]): Promise<Studied> {
  const grammar = grammarFor(source.path);
  if (!grammar) return { problem: `The rules do not know the language of ${source.path}.` };
  const syntax = await loadAccelerator('syntax');
  const tree = await syntax.tree({ content: source.text, path: source.path });
  if (!tree.ok) return { problem: `${source.path} could not be parsed: ${tree.reason}` };
  return study(source, linkTree(tree.value, source.text), grammar, names);
}
