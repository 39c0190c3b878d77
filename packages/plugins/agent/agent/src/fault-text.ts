import { messageOf, TenonError } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import { inSentences } from '@tenon/wording';

/** Why the last answer failed, in sentences; nothing when it did not. */
export function failureIn(messages: readonly AgentMessage[]): string | undefined {
  const last = messages.findLast(({ role }) => role === 'assistant');
  if (last?.role !== 'assistant' || last.stopReason !== 'error') return undefined;
  return inSentences(last.errorMessage ?? 'The answer failed', last.errorNext ?? '');
}

/** A fault as sentences: what happened and, where that is known, what to do next. */
export function faultText(fault: unknown): string {
  return inSentences(messageOf(fault), fault instanceof TenonError ? fault.next : '');
}
