import { messageOf, TenonError } from '@tenon/kernel';

/** A fault as sentences: what happened and, where that is known, what to do next. */
export function faultText(fault: unknown): string {
  const message = messageOf(fault);
  if (!(fault instanceof TenonError) || fault.next === '') return message;
  const isSentence = /[.!?…]["')`]?$/.test(message.trimEnd());
  return `${message.trimEnd()}${isSentence ? '' : '.'} ${fault.next}`;
}
