/** Why something that was typed did not work, in words for the user. */
import { TenonError } from '@tenon/kernel';
import { expect, it } from 'vitest';
import { whyNot } from '../src/sending.ts';

const blocked = (reason: string) =>
  new TenonError({
    code: 'AGENT_PROMPT_BLOCKED',
    owner: 'agent',
    message: `The prompt was not sent: ${reason}`,
    next: 'Change the prompt.',
    details: { reason },
  });

it('says the reason of a command alone, and of a prompt also that it was not sent', () => {
  const reason = 'There is nothing to summarize. Go on.';
  expect(whyNot(blocked(reason), true)).toBe(reason);
  expect(whyNot(blocked('a hook says no'), false)).toBe('The prompt was not sent: a hook says no. Change the prompt.');
  expect(whyNot(new Error('plain'), true)).toBe('plain');
});
