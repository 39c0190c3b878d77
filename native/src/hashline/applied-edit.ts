import type { Applied } from './contract.ts';

/** What is known of an edit besides its bytes. */
export type EditFacts = Omit<Applied, 'ok' | 'pieces' | 'content'>;

/** An applied edit; its content is joined on first use. */
export class AppliedEdit implements Applied {
  readonly ok = true;
  readonly pieces: readonly Uint8Array[];
  readonly warnings: readonly string[];
  readonly firstChangedLine: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly recovered: boolean;
  #content: Buffer | undefined;

  constructor(pieces: readonly Uint8Array[], facts: EditFacts) {
    this.pieces = pieces;
    this.warnings = facts.warnings;
    this.firstChangedLine = facts.firstChangedLine;
    this.linesAdded = facts.linesAdded;
    this.linesRemoved = facts.linesRemoved;
    this.recovered = facts.recovered;
  }

  get content(): Buffer {
    return (this.#content ??= Buffer.concat(this.pieces));
  }
}
