import type { Session } from '@tenon/sessions/api';

/** The text of the last answer, as the model wrote it. */
export function lastAnswer(session: Session): string | undefined {
  for (const entry of session.walk()) {
    if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
    const text = entry.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
    if (text.trim() !== '') return text;
  }
  return undefined;
}
