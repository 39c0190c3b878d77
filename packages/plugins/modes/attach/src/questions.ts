/** Questions of agents on the desk. */
import type { Answer, Question } from '@tenon/web/api';
import type { Desk } from './desk.ts';

type Asking = Pick<Desk, 'select' | 'write' | 'isLeaving'>;

/** Asks it. Nothing when somebody else has answered or the user leaves: then the question stays, or is gone already. */
export async function answerOf(desk: Asking, question: Question, signal: AbortSignal): Promise<Answer | undefined> {
  const answer = await asked(desk, question, signal);
  if (signal.aborted || desk.isLeaving) return undefined;
  return answer ?? { cancelled: true };
}

async function asked(desk: Asking, question: Question, signal: AbortSignal): Promise<Answer | undefined> {
  const { method, title, message, options = [], placeholder, prefill } = question;
  const said = { title, ...(message !== undefined && { message }) };
  if (method === 'select') {
    const at = await desk.select({ ...said, options }, signal);
    const value = at === undefined ? undefined : options[at];
    return value === undefined ? undefined : { value };
  }
  if (method === 'confirm') {
    const at = await desk.select({ ...said, options: ['Yes', 'No'] }, signal);
    return at === undefined ? undefined : { confirmed: at === 0 };
  }
  const value = await desk.write(
    {
      title: message === undefined ? title : `${title}\n${message}`,
      isLong: method === 'editor',
      ...(prefill !== undefined && { prefill }),
      ...(placeholder !== undefined && { placeholder }),
    },
    signal,
  );
  return value === undefined ? undefined : { value };
}
