/**
 * Hashline: lines of a file named by number and two letters of hash (`41th`), and edits that are refused when the
 * lines are not what was read. `docs/design/hashline.md` has the format and the reasons.
 *
 * Files are bytes. A patch may be a string; one with half of a surrogate pair is refused, because there is no byte
 * sequence that it could honestly become in a file.
 */

/** Where an operation starts or ends: a line (from 1) and the anchor code it was read with. */
export interface Anchor {
  readonly line: number;
  /** Below 676; `anchorLetters` gives the two letters. */
  readonly code: number;
}

/** The kinds of operation. */
export type OpKind = 'insert-after' | 'insert-before' | 'delete' | 'replace';

/** One operation of a patch. */
export interface Op {
  readonly kind: OpKind;
  /** The line of the patch that has the operation, from 1. */
  readonly patchLine: number;
  readonly start: Anchor | 'BOF' | 'EOF';
  /** The last line of a range; absent for inserts. */
  readonly end?: Anchor;
  /** The operation's part of the section's payload bytes. */
  readonly payloadStart: number;
  readonly payloadEnd: number;
}

/** All operations for one file, as read from a patch. */
export interface Section {
  /** As written in the patch; resolving it is the caller's business. */
  readonly path: string;
  readonly ops: readonly Op[];
  /** The payload lines of all operations, each ended by `\n`. */
  readonly payload: Uint8Array;
}

/** A patch that was understood, or the sentence that says what is wrong with it. */
export type ParseResult =
  | { readonly ok: true; readonly sections: readonly Section[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string; /** 0 when no single line is to blame. */ readonly line: number };

/** An anchor that does not fit the file as it is now. */
export interface StaleAnchor {
  readonly patchLine: number;
  readonly anchor: Anchor;
  /** The code of the line there now; absent when the file is shorter. */
  readonly now?: number;
}

/** Why an edit was refused: an anchor is stale, two operations claim the same lines, or nothing would change. */
export type RefusalCode = 'stale' | 'overlap' | 'no-change';

/** An edit that was made. */
export interface Applied {
  readonly ok: true;
  /**
   * The new content as views of the old one and of the inserted text, in order: ready for `writev`, without copying
   * the file. They share the caller's memory, so use them before that is overwritten.
   */
  readonly pieces: readonly Uint8Array[];
  /** The new content in one Buffer; copied together on first use. */
  readonly content: Buffer;
  readonly warnings: readonly string[];
  /** The first edited line in the new content, from 1. */
  readonly firstChangedLine: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** True when the file had changed since it was read and the edit was placed by proof. */
  readonly recovered: boolean;
}

/** An edit that was not made; the message says what to do next and shows the lines there now. */
export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly message: string;
  readonly stale: readonly StaleAnchor[];
}

/** The outcome of applying a section. */
export type ApplyResult = Applied | Refused;

/** The hashline accelerator. All calls are synchronous and work on memory only. */
export interface Hashline {
  /** The anchor codes of all lines, in order. */
  hashLines(content: Uint8Array): Uint16Array;
  /** The anchor (`41th`) of one line given without its ending; `number` counts from 1. */
  anchor(line: Uint8Array | string, number: number): string;
  /** Lines as `LINEhh|TEXT\n`, all of them or `first` to `last` (from 1, both included). */
  format(content: Uint8Array, range?: { readonly first?: number; readonly last?: number }): Buffer;
  /** Reads a patch; `path` names the file for one that starts with an operation instead of a header. */
  parse(patch: string | Uint8Array, options?: { readonly path?: string }): ParseResult;
  /**
   * Applies a section. `snapshot` is the whole file as it was read: with it, lines that moved are found by proof, and
   * every line that the edit names is compared with what was read instead of trusting two letters.
   */
  apply(content: Uint8Array, section: Section, options?: { readonly snapshot?: Uint8Array }): ApplyResult;
}
