/**
 * Parsing that ends. A parser works in turns, so that other work of the process and an abort get through; it gives up
 * on a text that costs far more than its length allows; and a grammar that traps is never called again.
 */
import { setImmediate } from 'node:timers/promises';
import type { Language, Parser, Tree } from 'web-tree-sitter';

/** What we need of the global; the ES2023 library types do not have it. */
export const { Module: WasmModule, RuntimeError: WasmTrap } = (
  globalThis as unknown as {
    WebAssembly: { readonly Module: new (bytes: Uint8Array) => object; readonly RuntimeError: ErrorConstructor };
  }
).WebAssembly;

/** A text that a parser could not get through within its limits; other texts may do. */
export class ParserGaveUp extends Error {
  override readonly name = 'ParserGaveUp';
}

/** A grammar that broke down; it must not be used again. */
export class GrammarBroke extends Error {
  override readonly name = 'GrammarBroke';
}

/** How long the thread is kept before other work of the process gets a turn. */
export const TURN_MS = 12;

/**
 * What a text may cost, by its length. Ordinary code of all our grammars needs at most 0.2 steps and 300 reads per
 * character; crates/syntax has the same limits.
 */
const STEPS_PER_UNIT = 2;
const READS_PER_UNIT = 2_000;
/** So that short texts have room for errors, too. */
const FREE_UNITS = 5_000;

/** How much text the lexer gets at once, in UTF-16 units. What it reads again is counted again: Scala asks for each column. */
const CHUNK = 1_000;

/**
 * The parsers of grammars that broke down. They are never collected: the collector would call into the grammar once more
 * to free them, and the trap of that call has no caller, so that it would end the process.
 */
const neverCollected: Parser[] = [];

/** A grammar with its parsers. */
export class LoadedGrammar {
  readonly language: Language;
  readonly #id: string;
  readonly #newParser: () => Parser;
  readonly #onBreak: (reason: string) => void;
  readonly #idle: Parser[] = [];
  readonly #inUse = new Set<Parser>();

  constructor(id: string, language: Language, newParser: () => Parser, onBreak: (reason: string) => void) {
    this.#id = id;
    this.language = language;
    this.#newParser = newParser;
    this.#onBreak = onBreak;
  }

  /** Parses a short text without a pause. */
  parseNow(text: string): Tree {
    const run = this.#start(text);
    const tree = run(() => false);
    if (tree === null) throw this.#gaveUp();
    return tree;
  }

  /** Parses a text in turns; `delete` the tree when done. */
  async parse(text: string, signal?: AbortSignal): Promise<Tree> {
    signal?.throwIfAborted();
    const run = this.#start(text);
    for (;;) {
      const turnEnds = performance.now() + TURN_MS;
      const tree = run(() => performance.now() >= turnEnds);
      if (tree !== null) return tree;
      await setImmediate();
      if (signal?.aborted === true) {
        run(() => true, true);
        signal.throwIfAborted();
      }
    }
  }

  /** A function that parses until it is done or `isTurnOver` says so, and then goes on where it stopped. */
  #start(text: string): (isTurnOver: () => boolean, isLast?: boolean) => Tree | null {
    const parser = this.#idle.pop() ?? this.#newParser();
    this.#inUse.add(parser);
    const units = text.length + FREE_UNITS;
    let [steps, reads, isOver] = [0, 0, false];
    const read = (index: number): string => {
      const chunk = text.slice(index, index + CHUNK);
      reads += chunk.length;
      return chunk;
    };
    return (isTurnOver, isLast = false) => {
      if (isLast) {
        this.#release(parser);
        return null;
      }
      let tree: Tree | null = null;
      try {
        const progressCallback = (): boolean => {
          steps += 1;
          isOver = steps > units * STEPS_PER_UNIT || reads > units * READS_PER_UNIT;
          return isOver || isTurnOver();
        };
        tree = parser.parse(read, null, { progressCallback });
      } catch (error) {
        throw this.broke(error);
      }
      if (tree !== null || isOver) this.#release(parser);
      if (tree === null && isOver) throw this.#gaveUp();
      return tree;
    };
  }

  #release(parser: Parser): void {
    parser.reset();
    this.#inUse.delete(parser);
    this.#idle.push(parser);
  }

  #gaveUp(): ParserGaveUp {
    return new ParserGaveUp(`the ${this.#id} parser gave up on it: it costs far more than its length allows`);
  }

  /** Takes the grammar out when an error came from inside of it; any other error is handed back as it is. */
  broke(error: unknown): unknown {
    if (!(error instanceof WasmTrap)) return error;
    neverCollected.push(...this.#idle, ...this.#inUse);
    const reason = `the ${this.#id} grammar broke down (${error.message}), so ${this.#id} is not parsed until Tenon starts again`;
    this.#onBreak(reason);
    return new GrammarBroke(reason, { cause: error });
  }
}
