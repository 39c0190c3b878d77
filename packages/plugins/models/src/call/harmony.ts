/**
 * OpenAI's models of the gpt-5 family sometimes write their own routing header as ordinary text, most often inside the
 * arguments of a tool call: `… analysis to=functions.edit code …`, with junk before and after it. What follows such a
 * header is never what the model meant to say, and it must not reach a file. Arguments are JSON here, so the damage
 * cannot be cut out with certainty: the answer is thrown away and asked for again.
 */
import type { Model } from '../api.ts';
import type { StreamEvent } from '../stream.ts';

const MARKER = /to=functions\.[A-Za-z_][\w.]*/g;
/** Words of the protocol, tokens without meaning, and brackets that stand directly before a leaked header. */
const JUNK_BEFORE =
  /(?:\b(?:analysis|commentary|assistant|final|user)|Japgolly|Jsii(?:_commentary)?|changedFiles|RTLU|】【|[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])["'\s]*$/u;
const BODY_AFTER = /^["'\s]*code\b/;
/** A real header, brackets and all, is never content. */
const BRACKETED = /<\|(?:start|channel|message|call)\|>/;

/** Longest tail that must be looked at again when more text comes. */
const TAIL = 160;

/** The models that show the defect. */
export function leaksHarmony({ api, id, quirks }: Pick<Model, 'api' | 'id' | 'quirks'>): boolean {
  const known = quirks?.['harmony'];
  if (typeof known === 'boolean') return known;
  return api.startsWith('openai-') && /(?:^|\/)gpt-[5-9]/.test(id);
}

/** Where a leaked header starts, or -1. `complete` is false while more text may follow. */
export function findHarmonyLeak(text: string, complete: boolean): number {
  for (const match of text.matchAll(MARKER)) {
    const before = text.slice(Math.max(0, match.index - 64), match.index);
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 24);
    const junk = JUNK_BEFORE.exec(before);
    if (junk && (BODY_AFTER.test(after) || (complete && /^["'\s]*$/.test(after))))
      return match.index - before.length + junk.index;
    if (BRACKETED.test(before)) return match.index - before.length + (BRACKETED.exec(before)?.index ?? 0);
  }
  return -1;
}

/** Watches one answer for leaked headers, looking at each character a bounded number of times. */
export class HarmonyGuard {
  readonly #tails = new Map<number, string>();

  /** True when the event completes or shows a leaked header. */
  sees(event: StreamEvent): boolean {
    if ('delta' in event) {
      const text = (this.#tails.get(event.contentIndex) ?? '') + event.delta;
      this.#tails.set(event.contentIndex, text.slice(-TAIL));
      return findHarmonyLeak(text, false) >= 0;
    }
    if (event.type !== 'text_end' && event.type !== 'thinking_end' && event.type !== 'toolcall_end') return false;
    return findHarmonyLeak(this.#tails.get(event.contentIndex) ?? '', true) >= 0;
  }
}
