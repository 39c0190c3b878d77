import type { Op, Section } from './contract.ts';
import { asBuffer } from './js-text.ts';

/** Lines `start` to `end` (exclusive, from 0) that an operation claims; an insertion point when empty. */
export interface Edit {
  readonly op: Op;
  readonly start: number;
  readonly end: number;
  readonly located: boolean;
}

/** An operation's payload lines, each ended by `\n`; a section made by hand that breaks this rule has none. */
export function payloadOf(section: Section, op: Op): Buffer {
  const payload = asBuffer(section.payload).subarray(op.payloadStart, op.payloadEnd);
  return payload.at(-1) === 10 ? payload : payload.subarray(0, 0);
}
