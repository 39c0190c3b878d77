import { ParserGaveUp } from './parsing.ts';

/** Ordinary rules need a tenth of it at most. The addon has the same limit. */
const STEPS_PER_BYTE = 1_000;
/** So that short texts have room. */
const FREE_BYTES = 5_000;

/** How much one rule may still look around in one text: relations inside of relations may look at all of it for each of its nodes. */
export class Effort {
  #left: number;

  /** @param bytes The length of the text. */
  constructor(bytes: number) {
    this.#left = (bytes + FREE_BYTES) * STEPS_PER_BYTE;
  }

  /** Counts one node that a relation has looked at. */
  step(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new ParserGaveUp(LOOKS_TOO_FAR);
  }
}

const LOOKS_TOO_FAR =
  'the rule looks around in it far more than its length allows; give `inside`, `has`, `follows` or `precedes` a nearer `stopBy`, or nest fewer of them';
