import { ParserGaveUp } from './parsing.ts';

/** Ordinary rules need a tenth of it at most. The addon has the same limit. */
const STEPS_PER_BYTE = 1_000;
/** So that short texts have room. */
const FREE_BYTES = 5_000;

/** How much one rule may still look around in one text: relations inside of relations may look at all of it for each of its nodes. */
export class Effort {
  /** Nodes that relations have looked at. */
  steps = 0;
  readonly #length: number;
  readonly #looks = new Map<object, number>();

  /** @param bytes The length of the text. */
  constructor(bytes: number) {
    this.#length = bytes + FREE_BYTES;
  }

  /** Counts one node that a relation has looked at. */
  step(): void {
    this.steps += 1;
    if (this.steps > this.#length * STEPS_PER_BYTE) throw new ParserGaveUp(LOOKS_TOO_FAR);
  }

  /** Counts nodes that one of the rules has looked at. */
  addLooks(rule: object, count: number): void {
    this.#looks.set(rule, (this.#looks.get(rule) ?? 0) + count);
  }

  /** Has a rule looked at more nodes than the text can have? To look at each of them once is less work than to go on. */
  looksOften(rule: object): boolean {
    return (this.#looks.get(rule) ?? 0) > this.#length;
  }
}

const LOOKS_TOO_FAR =
  'the rule looks around in it far more than its length allows; give `inside`, `has`, `follows` or `precedes` a nearer `stopBy`, or nest fewer of them';
