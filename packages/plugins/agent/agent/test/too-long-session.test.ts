/** Sessions that are too long for their model when they are opened, and servers that take less than is known of them. */
import { readFileSync } from 'node:fs';
import { countRequest } from '@tenon/model-fakes';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../src/api.ts';
import { type Served, windowedWorld } from './support/windowed-world.ts';

let world: Awaited<ReturnType<typeof windowedWorld>>;
beforeEach(async () => void (world = await windowedWorld(() => '')));

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');
const stopReason = (events: readonly AgentEvent[]) => {
  const end = events.findLast(({ type }) => type === 'agent_end');
  const last = end?.type === 'agent_end' ? end.messages.at(-1) : undefined;
  return last?.role === 'assistant' ? last.stopReason : undefined;
};
const llama: Served = {
  window: 2_048,
  refuser: 'llama.cpp',
  counter: 'word pieces',
  answer: () => 'Fine.',
};
/** How many of the parts that were said a session file holds. */
const partsIn = (file = '') => new Set(readFileSync(file, 'utf8').match(/Part \d: word0 /g)).size;
const isSummary = ({ body }: { body: Record<string, unknown> }) => !Array.isArray(body['tools']);

describe('a session that is too long', () => {
  it('goes on, one process for each prompt, though the server counts twice as many tokens as are estimated', async () => {
    // Answers that are nearly empty or cut off: what counts is what the user said.
    let rounds = 0;
    world.serve({ ...llama, answer: () => (rounds % 2 === 0 ? '' : '0 '.repeat(2_000)) });
    let { agent, session, events } = await world.open();
    for (; rounds < 6; rounds++) {
      await agent.prompt(`Part ${rounds}: ${words(128)}`);
      expect(stopReason(events), `round ${rounds}`).toMatch(/stop|length/);
      await agent.dispose();
      ({ agent, session, events } = await world.open(session.file));
    }
    await agent.dispose();
  });

  it('goes on with a model that has a smaller window, and the question for a summary is cut to it', async () => {
    world.serve({ ...llama, window: 64_000 });
    const first = await world.open();
    for (let round = 0; round < 10; round++) await first.agent.prompt(`Part ${round}: ${words(1_000)}`);
    await first.agent.dispose();

    world.serve({ ...llama, window: 2_048, answer: () => 'A summary.' });
    const { agent, session, events } = await world.open(first.session.file);
    await agent.prompt('What was it about?');
    expect(stopReason(events)).toBe('stop');
    const summaries = world.accepted.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(0);
    for (const request of summaries) expect(countRequest(llama, request)).toBeLessThanOrEqual(2_048);
    expect(session.context().messages[0]).toMatchObject({
      role: 'compactionSummary',
      summary: expect.stringMatching(/^A summary\./),
    });
    await agent.dispose();
    // The file still holds every word.
    expect(partsIn(session.file)).toBe(10);
  });

  it('tells what it leaves out when no model can summarize it, and keeps it in the session', async () => {
    const summaryFails = (server: Served): Served => ({
      ...server,
      answer: (request) => (isSummary(request) ? '' : 'Fine.'),
    });
    world.serve(summaryFails({ ...llama, window: 64_000 }));
    const first = await world.open();
    for (let round = 0; round < 5; round++) await first.agent.prompt(`Part ${round}: ${words(1_000)}`);
    await first.agent.dispose();

    world.serve(summaryFails(llama));
    const { agent, session, events } = await world.open(first.session.file);
    await agent.prompt('And now?');
    expect(stopReason(events)).toBe('stop');
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices.join('\n')).toMatch(/Left out: \d+ earlier messages\. The session keeps everything\./);
    // The end of what was said is still there, the beginning is not.
    const sent = JSON.stringify(world.accepted.at(-1)?.body);
    expect(sent).toContain('word999');
    expect(sent).not.toContain('Part 1:');
    await agent.dispose();
    expect(partsIn(session.file)).toBe(5);
  });
});

describe('a server whose template leaves the tools out', () => {
  it('is not thought to have less room than it has: what was said is summarized, not dropped', async () => {
    world.serve({ ...llama, window: 1_024, ignoresTools: true, answer: () => 'A summary or an answer.' });
    const { agent, session, events } = await world.open();
    for (let round = 0; round < 8; round++) {
      await agent.prompt(`Part ${round}: ${words(60)}`);
      expect(stopReason(events), `round ${round}`).toBe('stop');
    }
    const summaries = session.branch().flatMap((entry) => (entry.type === 'compaction' ? [entry.summary] : []));
    expect(summaries.length).toBeGreaterThan(0);
    for (const summary of summaries) expect(summary).toContain('A summary');
    await agent.dispose();
  });
});

describe('a server that takes less than is known of it', () => {
  it('is refused one request; after it the conversation is kept within what it takes', async () => {
    world.serve({ ...llama, window: 2_048, described: 128_000 });
    const { agent, events } = await world.open();
    for (let round = 0; round < 12; round++) {
      await agent.prompt(`Part ${round}: ${words(100)}`);
      expect(stopReason(events), `round ${round}`).toBe('stop');
    }
    const turns = world.fake.requests.filter((request) => !isSummary(request));
    const refused = turns.filter((request) => countRequest(llama, request) > 2_048);
    expect(refused).toHaveLength(1);
    await agent.dispose();
  });

  it('gets a shorter answer to write where the question alone fits, and nothing is left out', async () => {
    world.serve({ ...llama, refuser: 'vllm', window: 2_048, described: 8_192 });
    const { agent, events, session } = await world.open();
    await agent.prompt(words(256));
    expect(stopReason(events)).toBe('stop');
    const [first, second, ...more] = world.fake.requests.map(({ body }) => Number(body['max_tokens']));
    expect([second !== undefined && first !== undefined && second < first, more]).toEqual([true, []]);
    expect(session.branch().some(({ type }) => type === 'compaction')).toBe(false);
    await agent.dispose();
  });
});
