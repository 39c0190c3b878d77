/** Which calls of a session are left behind when it goes back. */
import type { Session } from '@tenon/sessions/api';

/** The calls on the present branch of a session after an entry, or of the whole branch. With `inclusive` the entry itself counts too. */
export function callsAfter(
  session: Pick<Session, 'branch'>,
  entryId: string | null,
  { inclusive = false }: { readonly inclusive?: boolean } = {},
): string[] {
  const branch = session.branch();
  const at = entryId === null ? -1 : branch.findIndex(({ id }) => id === entryId);
  const after = branch.slice(inclusive && at >= 0 ? at : at + 1);
  return after.flatMap((entry) => {
    if (entry.type !== 'message' || entry.message.role !== 'assistant') return [];
    return entry.message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
  });
}
