/** Calls of a worker's that need approval: they become questions of the run, and the answers find their way back. */
import { answerHeldIn } from '@tenon/approval/api';
import type { PreparePlace } from '../../api.ts';

/** What Tenon calls a call that waits. */
export const HELD_ID = /^[0-9a-f]{8}$/;

const PREFIX = 'approval-';

/** The question of the run about it. */
export const questionOf = (id: string) => `${PREFIX}${id}`;

/** Writes the answers to where the worker looks for them. Whatever is not a clear yes is a no. */
export async function answerHeldCalls(folder: string, answers: NonNullable<PreparePlace['answers']>): Promise<void> {
  for (const { id, answer } of answers) {
    const held = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : '';
    if (!HELD_ID.test(held)) continue;
    const [, isAllowed, way] = /^\s*(?:(allow|yes|y)\b(?:\s+(?:--)?(network|outside))?\s*$)?/i.exec(answer) ?? [];
    // One that is not there any more is held again when the worker makes the call.
    await answerHeldIn(folder, held, {
      isAllowed: isAllowed !== undefined,
      ...(way !== undefined && { way: way.toLowerCase() as 'network' | 'outside' }),
    });
  }
}
