import { existsSync, readFileSync } from 'node:fs';
import { urlRouter } from '@tenon/urls/api';
import { describe, expect, it } from 'vitest';
import { delegate, opening, subagentWorld, taskOf, yields } from './support/world.ts';

describe('tasks', () => {
  it('are given to subagents, whose results come back in the order of the tasks', async () => {
    let free: () => void = () => {};
    const hold = new Promise<void>((resolve) => (free = resolve));
    const { agent, results, requests } = await subagentWorld({
      main: [{ calls: [delegate('task', ['slow', 'fast'], { context: 'The goal is X.' })] }, { text: 'done' }],
      tasks: {
        slow: [{ ...yields('slow result'), hold }],
        fast: [() => (free(), yields('fast result'))],
      },
    });
    await agent.prompt('go');
    const [result] = results();
    expect(result?.text).toMatch(
      /^## slow \(task\): completed.*\nslow result\n\n## fast \(task\): completed.*\nfast result$/s,
    );
    const child = requests.find((request) => taskOf(request) === 'slow');
    expect(child && opening(child)).toContain('The goal is X.');
    expect(child && opening(child)).toContain('Do slow.');
  });

  it('keep results as agent://ID, and the subagent’s session beside them', async () => {
    const { agent, session, kernel, cwd } = await subagentWorld({
      main: [{ calls: [delegate('task', ['Fix Auth'])] }, { text: 'done' }],
      tasks: { 'Fix Auth': [yields('# Done\nall of it')] },
    });
    await agent.prompt('go');
    const router = await kernel.find(urlRouter);
    const call = { signal: new AbortController().signal, scope: { session: session.id, cwd } };
    expect((await router.read('agent://Fix-Auth', call)).content).toBe('# Done\nall of it');
    const file = `${session.file?.replace(/\.jsonl$/, '')}/agents/Fix-Auth.jsonl`;
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('Do Fix Auth.');
  });

  it('are read by subagents that work for the same session', async () => {
    const { agent, results } = await subagentWorld({
      main: [
        { calls: [delegate('quick_task', ['first'])] },
        { calls: [delegate('quick_task', ['second'])] },
        { text: 'done' },
      ],
      tasks: {
        first: [yields('what the first one found')],
        second: [
          { calls: [{ name: 'read', arguments: { path: 'agent://first' } }] },
          (request) => yields(JSON.stringify(request.messages.at(-1))),
        ],
      },
    });
    await agent.prompt('go');
    expect(results()[1]?.text).toContain('what the first one found');
  });
});
