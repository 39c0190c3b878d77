/** Watches one block of an answer: a text, a thought, or the arguments of a call. */
import { timeBoxed } from '../time-box.ts';
import type { Source } from './scope.ts';
import type { StreamRule, WatchedCall } from './stream-rule.ts';
import { WatchedText, type Window } from './watched-text.ts';

/** Rules that matched at the same point of the text. */
export interface Match {
  /** How long the text was. */
  readonly at: number;
  readonly rules: readonly StreamRule[];
}

/** What a block watch needs to know. */
export interface BlockHost {
  readonly source: Source;
  readonly rules: readonly StreamRule[];
  /** The call that the arguments belong to, as far as it is known when the text has this length. */
  callAt(length: number): WatchedCall;
  /** A rule that takes too long to match is not used again. */
  tooSlow(rule: StreamRule): void;
}

/**
 * A match counts when it is still one after the text has grown by a step, or when the text is at its end. What matches only
 * because the text stops there, as `end$` or `a(?!b)` may, would otherwise depend on where a packet ended.
 */
export class BlockWatch {
  readonly #host: BlockHost;
  readonly #text = new WatchedText();
  #rules: readonly StreamRule[];
  #before = new Set<StreamRule>();
  /** Rules whose condition is met; what is missing is a call that they are about. */
  readonly #met = new Set<StreamRule>();
  #isEnded = false;

  constructor(host: BlockHost) {
    this.#host = host;
    this.#rules = host.rules;
  }

  /** Takes more of the text; gives what matches, in the order of the text. */
  add(piece: string): Match[] {
    return this.#isEnded ? [] : this.#look(this.#text.add(piece), false);
  }

  /** The text is complete. */
  end(): Match[] {
    if (this.#isEnded) return [];
    this.#isEnded = true;
    return this.#look([this.#text.end()], true);
  }

  #look(windows: readonly Window[], isEnd: boolean): Match[] {
    if (windows.length === 0 || this.#rules.length === 0) return [];
    const hits = this.#test(windows);
    return windows.flatMap((window, index) => {
      const here = hits[index] ?? new Set();
      for (const rule of here) if (isEnd || this.#before.has(rule)) this.#met.add(rule);
      this.#before = here;
      const rules = this.#concerned(window.at);
      for (const rule of rules) this.#forget(rule);
      return rules.length > 0 ? [{ at: window.at, rules }] : [];
    });
  }

  #concerned(at: number): StreamRule[] {
    const met = [...this.#met];
    if (met.length === 0 || this.#host.source !== 'tool') return met;
    const call = this.#host.callAt(at);
    return met.filter((rule) => rule.isAbout(call));
  }

  #forget(rule: StreamRule): void {
    this.#met.delete(rule);
    this.#rules = this.#rules.filter((other) => other !== rule);
  }

  /** Which rules match in which window. */
  #test(windows: readonly Window[]): Set<StreamRule>[] {
    const rules = this.#rules;
    const search = (some: readonly StreamRule[]) => () =>
      windows.map((window) => new Set(some.filter((rule) => rule.matches(window))));
    const all = timeBoxed(search(rules));
    if (all) return all.value;
    // One of them is slow: each gets its own time, so that the others need not suffer.
    const each = rules.map((rule) => {
      const matches = timeBoxed(search([rule]));
      if (matches) return matches.value;
      this.#forget(rule);
      this.#host.tooSlow(rule);
      return [];
    });
    return windows.map((_, index) => new Set(each.flatMap((sets) => [...(sets[index] ?? [])])));
  }
}
