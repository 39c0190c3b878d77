/** Prompts that come to nothing: whoever waits for the end hears of it, and knows by then why. */
import { inlineCandidate } from '@tenon/kernel/testing';
import { describe, expect, it } from 'vitest';
import { faultText, input, modelRequest } from '../src/api.ts';
import { errors } from '../src/errors.ts';
import { types, world } from '@tenon/test-kit/conversation-world';

const blocking = inlineCandidate(
  { id: 'guard', activate: (ctx) => void ctx.on(input, (typed) => ({ ...typed, blocked: 'not on Sundays' })) },
  { handles: ['input'] },
);
const breaking = inlineCandidate(
  { id: 'bad', activate: (ctx) => void ctx.on(modelRequest, () => Promise.reject(new Error('snapped'))) },
  { handles: ['model.request'] },
);

describe('a prompt that comes to nothing', () => {
  it.each([
    ['because a plugin blocks it', blocking, 'not on Sundays'],
    ['because the work fails', breaking, 'snapped'],
  ])('%s tells why before it tells the end', async (_, plugin, reason) => {
    const { agent, events } = await world([{ text: 'never' }], {}, [plugin]);
    const order: string[] = [];
    agent.subscribe(({ type }) => order.push(type));
    const prompt = agent.prompt('work', { onFailure: (fault) => order.push(`failed: ${faultText(fault)}`) });
    await expect(prompt).rejects.toThrow(reason);
    expect(order.at(-1)).toBe('agent_end');
    expect(order.at(-2)).toMatch(/^(?:failed|agent_start)/);
    const [failed = ''] = order.filter((step) => step.startsWith('failed'));
    expect(failed).toContain(reason);
    expect(order.indexOf(failed)).toBeLessThan(order.indexOf('agent_end'));
    expect(types(events).filter((type) => type === 'agent_end')).toHaveLength(1);
    expect(agent.state.isStreaming).toBe(false);
    await agent.dispose();
  });

  it('and those that were queued with it, are told too', async () => {
    const { agent } = await world([{ text: 'never' }], {}, [breaking]);
    const told: string[] = [];
    const first = agent.prompt('one', { onFailure: () => told.push('one') });
    const second = agent.prompt('two', { streamingBehavior: 'followUp', onFailure: () => told.push('two') });
    await Promise.allSettled([first, second]);
    expect(told).toEqual(['one', 'two']);
    await agent.dispose();
  });
});

describe('the text of a fault', () => {
  it('puts a full stop between what happened and what to do', () => {
    const open = errors.create('AGENT_PROMPT_BLOCKED', { reason: 'not now' });
    expect(faultText(open)).toBe(`The prompt was not sent: not now. ${open.next}`);
    const closed = errors.create('AGENT_PROMPT_BLOCKED', { reason: 'not now!' });
    expect(faultText(closed)).toBe(`The prompt was not sent: not now! ${closed.next}`);
    expect(faultText(new Error('plain'))).toBe('plain');
  });
});
