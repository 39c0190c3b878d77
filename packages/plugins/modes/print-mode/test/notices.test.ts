/** What a person is told on standard error, and what answers that are not whole mean for the exit code. */
import { type AgentEvent, type AgentSession, input } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { MODEL, type Script } from '@tenon/test-kit/scripted-models';
import { runAgent } from '@tenon/test-kit/command-run';
import { tool } from '@tenon/test-kit/kernel';
import { Notices } from '../src/notices.ts';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

async function run(script: Script, flags: Record<string, boolean> = { print: true }) {
  const tools = { look: tool(async () => ({ content: [{ type: 'text', text: 'fine' }] })) };
  const made = await createWorld({
    script,
    tools,
    plugins: ['modes', 'print-mode'],
  });
  worlds.push(made);
  return runAgent(made.kernel, ['go'], { flags });
}

describe('an answer that is not whole', () => {
  it('is printed as far as it came, and the exit code says that something is missing', async () => {
    const { code, out, err } = await run([{ text: 'It begins', isCutOff: true }]);
    expect({ code, out }).toEqual({ code: 1, out: 'It begins\n' });
    expect(err).toMatch(/answer of test\/m is not whole.*\n {2}next: .*--resume [0-9a-f]+/);
  });

  it('is told with --json too', async () => {
    const { code, err } = await run([{ text: 'It begins', isCutOff: true }], { json: true });
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'PRINT_CUT_OFF' } });
  });

  it.each([[{}], [{ text: ' \n' }], [{ calls: [{ name: 'look' }] }]])(
    'an empty one is no answer: %j',
    async (first) => {
      const { code, out, err } = await run([first, {}]);
      expect({ code, out: out.trim() }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/test\/m ended without an answer.*\n {2}next: /);
    },
  );
});

describe('a prompt that is blocked', () => {
  it('with --json has all of its events written before the failure is told', async () => {
    const guard = inlineCandidate(
      { id: 'guard', activate: (ctx) => void ctx.on(input, (typed) => ({ ...typed, blocked: 'not on Sundays' })) },
      { handles: ['input'] },
    );
    const made = await createWorld({
      plugins: ['modes', 'print-mode', guard],
    });
    worlds.push(made);
    const lines: string[] = [];
    const out = async (text: string) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      lines.push(...text.trimEnd().split('\n'));
    };
    await expect(runAgent(made.kernel, ['go'], { flags: { json: true }, io: { out } })).rejects.toThrow('Sundays');
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(['session', 'agent_start', 'agent_end']);
  });
});

describe('what happens on the way', () => {
  it('names the model that answers, and why', async () => {
    const { code, out, err } = await run([{ text: 'served', fallback: 'test/seeing' }]);
    expect({ code, out }).toEqual({ code: 0, out: 'served\n' });
    expect(err).toBe('test/seeing answers in place of test/m: overloaded\n');
  });

  it('is put into words', () => {
    const notices = new Notices({ state: { model: MODEL } } as AgentSession);
    const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, reason: 'busy' } as const;
    const told = (
      [
        { type: 'turn_start' },
        { ...retry, delayMs: 0, fallback: 'a/b' },
        { ...retry, delayMs: 0, fallback: 'c/d' },
        { type: 'turn_start' },
        { ...retry, delayMs: 0, fallback: 'a/b' },
        { ...retry, delayMs: 1_200 },
        { ...retry, delayMs: 0 },
        { type: 'auto_compaction_start', reason: 'overflow' },
        { type: 'auto_compaction_end', aborted: false, willRetry: true, tokensBefore: 900, tokensAfter: 80 },
        { type: 'auto_compaction_end', aborted: false, willRetry: true, tokensBefore: 9, tokensAfter: 80 },
        { type: 'auto_compaction_end', aborted: false, willRetry: false, errorMessage: 'It failed.' },
        { type: 'session_switch', reason: 'handoff', sessionId: 'new', previousSessionId: 'old' },
        { type: 'agent_end', messages: [] },
      ] satisfies AgentEvent[]
    ).flatMap((event) => notices.textOf(event) ?? []);
    expect(told).toEqual([
      'a/b answers in place of test/m: busy',
      'c/d answers in place of a/b: busy',
      'a/b answers in place of test/m: busy',
      'Asking the model again in 2 s (attempt 1 of 3): busy',
      'Asking the model again (attempt 1 of 3): busy',
      'The conversation is too long for the model and is being made shorter.',
      'The conversation was made shorter: about 80 tokens are left of 900.',
      'The conversation was made shorter.',
      'It failed.',
      'The conversation goes on in session new; it began in old.',
    ]);
  });
});
