/** A message on its way, and what becomes of it. */
import { plainLine, plainText } from '@tenon/wording';

/** The longest message. */
export const MAX_MESSAGE_CHARS = 8_000;
/** The longest answer; the rest is cut off. */
export const MAX_REPLY_CHARS = 8_000;
const MAX_NAME_CHARS = 80;

/** Who writes. */
export interface Sender {
  readonly id: string;
  readonly name: string;
  /** Its process, when that is not the recipient's. */
  readonly pid?: number;
}

/** A message for one agent. */
export interface Envelope {
  readonly from: Sender;
  readonly to: string;
  readonly text: string;
  readonly awaitReply: boolean;
}

/** What the recipient gave back. */
export interface Receipt {
  readonly reply?: string;
  /** True when the recipient waits for an answer of the sender itself. */
  readonly crossed?: boolean;
}

/** A text of another agent, as it is shown and kept. */
export function messageText(text: string, maxChars = MAX_MESSAGE_CHARS): string {
  const plain = plainText(text).trim();
  return plain.length <= maxChars ? plain : `${plain.slice(0, maxChars)}…`;
}

/** A name, on one line. */
export function nameText(name: string): string {
  return plainLine(name).slice(0, MAX_NAME_CHARS) || 'unnamed';
}
