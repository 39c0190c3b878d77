/**
 * OpenAI's models of the gpt-5 family sometimes write their own routing header as ordinary text, most often inside the
 * arguments of a tool call: `… analysis to=functions.edit code …`, with junk before and after it. What follows such a
 * header is never what the model meant to say, and it must not reach a file. Arguments are JSON here, so the damage
 * cannot be cut out with certainty: the answer is thrown away and requested again.
 */
import type { Model } from '../api.ts';
import type { StreamEvent } from '../stream.ts';

const MARKER = /to=functions\.[A-Za-z_][\w.]*/g;
/** Spaces and quotes between the parts of a header; the arguments of tools are JSON, which writes some of them with a backslash. */
const GAP = String.raw`(?:\\[nrt"\\]|["'\s])*`;
const CHANNEL = 'analysis|commentary|assistant|final|user';
const FOREIGN = String.raw`[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]`;
/** A real header, brackets and all, is never content. */
const BRACKETED = /<\|(?:start|channel|message|call)\|>/;

/** How much before and after a header is looked at. */
const BEFORE = 96;
const AFTER = 24;
/** Longest tail that must be looked at again when more text comes. */
const TAIL = BEFORE + 64 + AFTER;

/** Scripts of the spam that follows leaked headers. */
const SCRIPTS = [
  'Han',
  'Cyrillic',
  'Thai',
  'Georgian',
  'Armenian',
  'Arabic',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Devanagari',
  'Hebrew',
  'Hangul',
  'Hiragana',
  'Katakana',
];
/** From this share of the letters on, a script is the one that the text is written in. */
const OWN_SCRIPT = 0.25;

/** Made when a header is seen for the first time: tables of scripts take a millisecond, and hardly any start needs them. */
let made: ReturnType<typeof makePatterns> | undefined;
const patterns = () => (made ??= makePatterns());

function makePatterns() {
  return {
    /** Words of the protocol, tokens without meaning, and brackets that stand directly before a leaked header. */
    tokenBefore: new RegExp(
      String.raw`(?:(?<![\w-])(?:${CHANNEL})|Japgolly|Jsii(?:_commentary)?|changedFiles|RTLU|\u3011\u3010)${GAP}$`,
      'u',
    ),
    /** Text of foreign scripts directly before it: spam, or somebody who writes about the protocol in his language. */
    foreignBefore: new RegExp(String.raw`(${FOREIGN})(?:[^\p{Script=Latin}]*${FOREIGN})?${GAP}$`, 'u'),
    /** What the protocol has after a header. */
    bodyAfter: new RegExp(String.raw`^${GAP}code\b`),
    channelAfter: new RegExp(String.raw`^${GAP}(?:(?:${CHANNEL})${GAP})?(?:json|code|${CHANNEL})\b`),
    foreignAfter: new RegExp(`^${GAP}(${FOREIGN})`, 'u'),
    onlyGap: new RegExp(`^${GAP}$`),
    scripts: SCRIPTS.map((name) => new RegExp(String.raw`\p{Script=${name}}`, 'gu')),
  };
}

/** The models that show the defect. */
export function leaksHarmony({ api, id, quirks }: Pick<Model, 'api' | 'id' | 'quirks'>): boolean {
  const setting = quirks?.['harmony'];
  if (typeof setting === 'boolean') return setting;
  return api.startsWith('openai-') && /(?:^|\/)gpt-[5-9]/.test(id);
}

/** Where a leaked header starts, or -1. `complete` is false while more text may follow. */
export function findHarmonyLeak(text: string, complete: boolean): number {
  for (const match of text.matchAll(MARKER)) {
    const before = text.slice(Math.max(0, match.index - BEFORE), match.index);
    const end = match.index + match[0].length;
    const after = text.slice(end, end + AFTER);
    const junk = junkBefore(before, after, complete) ?? BRACKETED.exec(before);
    if (junk) return match.index - before.length + junk.index;
  }
  return -1;
}

/** The junk before a header that is followed by what follows leaked ones. */
function junkBefore(before: string, after: string, complete: boolean): RegExpExecArray | undefined {
  const { tokenBefore, foreignBefore, foreignAfter, bodyAfter, channelAfter, onlyGap } = patterns();
  const token = tokenBefore.exec(before);
  const foreign = token ? undefined : foreignBefore.exec(before);
  const junk = token ?? foreign;
  if (!junk) return undefined;
  if (bodyAfter.test(after)) return junk;
  const ends = complete && onlyGap.test(after);
  // Without the body's name more is needed: a token of the protocol, and letters that are strangers in the text.
  const rest = before.slice(0, junk.index);
  if (foreign) return ends && isStranger(foreign[1], rest) ? foreign : undefined;
  return ends || channelAfter.test(after) || isStranger(foreignAfter.exec(after)?.[1], rest) ? junk : undefined;
}

/** True for a letter whose script the text before it is not written in. */
function isStranger(letter: string | undefined, text: string): boolean {
  const script = letter === undefined ? undefined : patterns().scripts.find((pattern) => letter.search(pattern) >= 0);
  if (letter === undefined) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const own = script ? (text.match(script)?.length ?? 0) : 0;
  return letters > 0 && own / letters < OWN_SCRIPT;
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
