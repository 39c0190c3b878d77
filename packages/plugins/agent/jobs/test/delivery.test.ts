import { builtIn } from '@tenon/test-kit/plugins';
import { liveAgents } from '@tenon/agent/api';
import { describe, expect, it } from 'vitest';
import { said, world } from '@tenon/test-kit/conversation-world';
import { type JobOutcome, jobs } from '../src/api.ts';

type Answers = Parameters<typeof world>[0];
type Toolkit = Parameters<typeof world>[1];

/** A real agent over a scripted model, with the plugin and a job that ends when it is told to. */
async function open(answers: Answers, toolkit: Toolkit = {}) {
  const made = await world(answers, toolkit, [await builtIn('jobs')]);
  const table = await made.kernel.find(jobs);
  const start = (label: string) => {
    let end: (outcome: JobOutcome) => void = () => {};
    const outcome = new Promise<JobOutcome>((resolve) => (end = resolve));
    const { id } = table.start({
      session: made.session.id,
      type: 'bash',
      label,
      run: ({ signal }) => {
        signal.addEventListener('abort', () => end({ text: 'stopped', isError: true }));
        return outcome;
      },
    });
    return { id, end };
  };
  const told = () =>
    made.session.context().messages.flatMap((message) => (message.role === 'custom' ? [String(message.content)] : []));
  return { ...made, table, start, told };
}

describe('the end of a job', () => {
  it('makes an idle agent answer', async () => {
    const { start, agent, requests, told, kernel } = await open([{ text: 'I see' }]);
    start('npm test').end({ text: 'all 12 passed' });
    await expect.poll(told).toEqual(['Background job bash-1 (npm test) has ended:\nall 12 passed']);
    await agent.idle();
    expect(requests).toHaveLength(1);
    await kernel.dispose();
  });

  it('is told to a busy agent after its turn, all jobs in one message', async () => {
    const parts: { finish?: () => Promise<void> } = {};
    const made = await open([{ calls: [{ name: 'work' }] }, { text: 'ok' }], {
      work: async () => {
        await parts.finish?.();
        return said('done');
      },
    });
    const [one, two] = [made.start('one'), made.start('two')];
    parts.finish = async () => {
      one.end({ text: 'first' });
      two.end({ text: 'broken', isError: true });
      await expect
        .poll(() => made.table.list(made.session.id).map(({ status }) => status))
        .toEqual(['completed', 'failed']);
      expect(made.told()).toEqual([]);
    };
    await made.agent.prompt('go');
    expect(made.told()).toEqual([
      'Background job bash-1 (one) has ended:\nfirst\n\nBackground job bash-2 (two) has failed:\nbroken',
    ]);
    expect(made.requests).toHaveLength(2);
    await made.kernel.dispose();
  });

  it('is not told when the agent has asked for the job itself, or has cancelled it', async () => {
    const parts: { before?: () => Promise<void> } = {};
    const made = await open(
      [
        { calls: [{ name: 'work' }, { name: 'job', arguments: { poll: ['bash-1'] } }] },
        { calls: [{ name: 'job', arguments: { cancel: ['bash-2'] } }] },
        { text: 'ok' },
      ],
      { work: { exclusive: true, run: async () => (await parts.before?.(), said('done')) } },
    );
    const one = made.start('one');
    made.start('two');
    parts.before = async () => {
      one.end({ text: 'first' });
      await expect.poll(() => made.table.get(made.session.id, 'bash-1')?.status).toBe('completed');
    };
    await made.agent.prompt('go');
    await made.agent.idle();
    expect(JSON.stringify(made.requests[1]?.messages)).toContain('### bash-1 (one)');
    expect(made.told()).toEqual([]);
    await made.kernel.dispose();
  });

  it('waits for the next prompt when the user has stopped the agent', async () => {
    const made = await open([{ text: 'thinking', hold: new Promise(() => {}) }, { text: 'ok' }]);
    const job = made.start('one');
    const running = made.agent.prompt('go');
    await expect.poll(() => made.requests.length).toBe(1);
    job.end({ text: 'first' });
    await expect.poll(() => made.table.get(made.session.id, job.id)?.status).toBe('completed');
    await made.agent.abort();
    await running;
    await made.agent.idle();
    expect(made.requests).toHaveLength(1);
    await made.agent.prompt('next');
    expect(JSON.stringify(made.requests[1]?.messages)).toContain('Background job bash-1 (one) has ended');
    await made.kernel.dispose();
  });

  it('shows the end of a long result and says where the rest is', async () => {
    const { start, agent, told, kernel } = await open([{ text: 'I see' }]);
    start('long').end({ text: Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join('\n') });
    await expect.poll(() => told().length).toBe(1);
    expect(told()[0]).toMatch(/ended:\n\[The end of it; `job` with `output: "bash-1"` gives the rest\.\]\nline \d+\n/);
    expect(told()[0]?.length).toBeLessThan(8_300);
    await agent.idle();
    await kernel.dispose();
  });

  it('is nobody’s business once the session is gone', async () => {
    const made = await open([{ text: 'ok' }]);
    const job = made.start('one');
    await made.agent.dispose();
    job.end({ text: 'late' });
    expect((await made.kernel.find(liveAgents)).get(made.session.id)).toBeUndefined();
    expect(made.table.list(made.session.id)).toEqual([]);
    expect(made.requests).toHaveLength(0);
    await made.kernel.dispose();
  });
});
