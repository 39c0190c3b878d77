/** Whether a request failed on the way, and not because of what it asked for. */
import { messageOf } from '@tenon/kernel';

/** True when no answer came: there is no connection, or it took too long. */
export function isNetworkFault(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  return fault.name === 'TimeoutError' || (fault instanceof TypeError && fault.message === 'fetch failed');
}

/** Why: `fetch` itself only says that it failed. */
export function networkWords(fault: unknown): string {
  const cause = fault instanceof Error ? fault.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code ?? messageOf(cause ?? fault);
}
