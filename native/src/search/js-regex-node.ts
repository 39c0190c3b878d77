/** The parts of a parsed pattern. */

/** A condition on a position, by the characters on both sides of it. */
export type Border = (behind: number, ahead: number) => boolean;

/** One part of a pattern. */
export type RegexNode =
  /** One character out of a set, in the source of RegExp's `v` flag; with `only`, it is that one. */
  | { readonly type: 'set'; readonly source: string; readonly only?: string }
  | { readonly type: 'border'; readonly border: Border }
  | { readonly type: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly branches: readonly RegexNode[] }
  | {
      readonly type: 'repeat';
      readonly body: RegexNode;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    };

/** What borders look at in a character, as bits. */
export const WORD_BIT = 1;
export const LF_BIT = 2;
export const CR_BIT = 4;
/** A byte that is not text. */
export const RAW_BIT = 8;
/** No character: the start or the end of the text. */
export const EDGE_BIT = 16;

const isWord = (bits: number): boolean => (bits & WORD_BIT) !== 0;
const isRaw = (bits: number): boolean => (bits & RAW_BIT) !== 0;
const wordStart: Border = (behind, ahead) => !isWord(behind) && isWord(ahead);
const wordEnd: Border = (behind, ahead) => isWord(behind) && !isWord(ahead);

/** The borders of the text. */
export const TEXT_START: Border = (behind) => behind === EDGE_BIT;
export const TEXT_END: Border = (_behind, ahead) => ahead === EDGE_BIT;
/** The borders of lines that end with `\n` alone. */
export const PLAIN_LINE_START: Border = (behind) => behind === EDGE_BIT || behind === LF_BIT;
export const PLAIN_LINE_END: Border = (_behind, ahead) => ahead === EDGE_BIT || ahead === LF_BIT;
/** The borders of lines where `\r\n` is one line break. */
export const LINE_START: Border = (behind, ahead) =>
  behind === EDGE_BIT || behind === LF_BIT || (behind === CR_BIT && ahead !== LF_BIT);
export const LINE_END: Border = (behind, ahead) =>
  ahead === EDGE_BIT || ahead === CR_BIT || (ahead === LF_BIT && behind !== CR_BIT);

/** The borders of words, by their letter or name. */
export const WORD_BORDERS: ReadonlyMap<string, Border> = new Map<string, Border>([
  ['b', (behind, ahead) => isWord(behind) !== isWord(ahead)],
  // Beside bytes that are not text there is no telling, so Rust's engine says no.
  ['B', (behind, ahead) => !isRaw(behind) && !isRaw(ahead) && isWord(behind) === isWord(ahead)],
  ['<', wordStart],
  ['>', wordEnd],
  ['start', wordStart],
  ['end', wordEnd],
  ['start-half', (behind) => !isWord(behind)],
  ['end-half', (_behind, ahead) => !isWord(ahead)],
]);
