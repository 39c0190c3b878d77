import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { agentFactory, liveAgents } from '@tenon/agent/api';
import { jobs } from '@tenon/jobs/api';
import { sessionStore } from '@tenon/sessions/api';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { delegate, subagentWorld, taskOf, yields } from './support/world.ts';

const never = new Promise<void>(() => {});

describe('tasks that run', () => {
  it('are as many at the same time as the setting says, across calls of one turn', async () => {
    let [now, most] = [0, 0];
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const slow = () => {
      most = Math.max(most, ++now);
      const hold = new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => void now--);
      return { ...yields('ok'), hold };
    };
    const { agent, results } = await subagentWorld(
      {
        main: [
          { calls: [delegate('task', names.slice(0, 3)), delegate('quick_task', names.slice(3))] },
          { text: 'done' },
        ],
        tasks: Object.fromEntries(names.map((name) => [name, [slow]])),
      },
      { subagents: { maxConcurrent: 2 } },
    );
    await agent.prompt('go');
    expect(most).toBe(2);
    // Which of the two calls begins first, and so ends first, is nobody's promise.
    const ended = results().map(({ text }) => [...text.matchAll(/^## (\w)/gm)].map(([, id]) => id).join(''));
    expect(ended.toSorted()).toEqual(['abc', 'def']);
  });

  it('are stopped all together, those that wait too, and nothing of them stays', async () => {
    const { agent, kernel, requests, session } = await subagentWorld(
      {
        main: [{ calls: [delegate('task', ['a', 'b', 'c'])] }, { text: 'done' }],
        tasks: { a: [{ hold: never }], b: [{ hold: never }], c: [{ hold: never }] },
      },
      { subagents: { maxConcurrent: 2 } },
    );
    const agents = await kernel.find(liveAgents);
    const running = agent.prompt('go');
    await until(() => requests.filter((request) => taskOf(request) !== undefined).length === 2);
    expect(agents.list()).toHaveLength(3);
    await agent.abort();
    await running;
    expect(agents.list().map(({ session: { id } }) => id)).toEqual([session.id]);
    expect(requests.some((request) => taskOf(request) === 'c')).toBe(false);
  });

  it('tell how far they are: tool, calls, tokens and cost', async () => {
    let free: () => void = () => {};
    const hold = new Promise<void>((resolve) => (free = resolve));
    const { agent, updates } = await subagentWorld(
      {
        main: [{ calls: [delegate('quick_task', ['one'])] }, { text: 'done' }],
        tasks: { one: [{ calls: [{ name: 'read', arguments: { path: 'a.txt' } }] }, { ...yields('ok'), hold }] },
      },
      { files: { 'a.txt': 'hello' } },
    );
    const running = agent.prompt('go');
    await until(() => updates().length > 0);
    free();
    await running;
    const details = updates().at(-1)?.details as { tasks: readonly Record<string, unknown>[] };
    expect(details).toMatchObject({ agent: 'quick_task', model: 'test/m' });
    expect(details.tasks[0]).toMatchObject({ id: 'one', status: 'running', toolCount: 1, tokens: 15, cost: 0.001 });
  });

  it('end when they take too long, and say which setting is meant', async () => {
    const { agent, results } = await subagentWorld(
      { main: [{ calls: [delegate('task', ['a'])] }, { text: 'done' }], tasks: { a: [{ text: 'half', hold: never }] } },
      { subagents: { timeoutMinutes: 0.002 } },
    );
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(/## a \(task\): aborted.*subagents\.timeoutMinutes/s);
  });

  it('give the end of a long result, and say where all of it is', async () => {
    const long = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join('\n');
    const { agent, results } = await subagentWorld({
      main: [{ calls: [delegate('task', ['a'])] }, { text: 'done' }],
      tasks: { a: [yields(long)] },
    });
    await agent.prompt('go');
    const text = results()[0]?.text ?? '';
    expect(text).toMatch(/\[The end of it; `agent:\/\/a` has all\.\]\nline \d+\n/);
    expect(text.endsWith('line 4999')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(17_000);
  });

  it('leave no file when the session has none', async () => {
    const { agent, results, home } = await subagentWorld(
      { main: [{ calls: [delegate('task', ['a'])] }, { text: 'done' }], tasks: { a: [yields('fine')] } },
      { inMemory: true },
    );
    await agent.prompt('go');
    expect(results()[0]?.text).toContain('fine');
    expect(existsSync(`${home}/data/sessions`)).toBe(false);
  });

  it('get ids of their own when an earlier task had the same', async () => {
    const { agent, results } = await subagentWorld({
      main: [{ calls: [delegate('task', ['a'])] }, { calls: [delegate('quick_task', ['A'])] }, { text: 'done' }],
    });
    await agent.prompt('go');
    expect(results()[1]?.text).toContain('## A-2 (quick_task)');
  });
});

describe('subagents of a process that was killed', () => {
  it('keep their session: a new task of the same id gets another', async () => {
    const { agent, session, results } = await subagentWorld({
      main: [{ text: 'hello' }, { calls: [delegate('task', ['a'])] }, { text: 'done' }],
    });
    await agent.prompt('hello');
    const folder = `${session.file?.replace(/\.jsonl$/, '')}/agents`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/a.jsonl`, 'what it said');
    await agent.prompt('go');
    expect(results()[0]?.text).toContain('## a-2 (task): completed');
    expect(readFileSync(`${folder}/a.jsonl`, 'utf8')).toBe('what it said');
  });
});

describe('what subagents use', () => {
  it('counts for the session that started them, also when it is opened again', async () => {
    const { agent, session, kernel, cwd } = await subagentWorld({
      main: [{ calls: [delegate('task', ['outer'])] }, { text: 'done' }],
      tasks: { outer: [{ calls: [delegate('quick_task', ['inner'])] }, yields('ok')], inner: [yields('ok')] },
    });
    await agent.prompt('go');
    // Two answers of the main agent, two of outer, one of inner.
    expect(agent.usage().totalTokens).toBe(5 * 15);
    expect(agent.usage().cost.total).toBeCloseTo(0.005);
    const file = session.file ?? '';
    await agent.dispose();
    const again = await (await kernel.find(sessionStore)).open(file);
    const { agent: second } = await (await kernel.find(agentFactory)).create({ session: again, cwd });
    expect(second.usage().totalTokens).toBe(5 * 15);
  });
});

describe('tasks in the background', () => {
  it('go on while the agent does, and are announced with their results', async () => {
    let free: () => void = () => {};
    const hold = new Promise<void>((resolve) => (free = resolve));
    const { agent, results, session, requests } = await subagentWorld({
      main: [{ calls: [delegate('task', ['a', 'b'], { background: true })] }, { text: 'meanwhile' }, { text: 'I see' }],
      tasks: { a: [{ ...yields('result of a'), hold }], b: [yields('result of b')] },
    });
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(/job task-1 \(a, b\)/);
    free();
    await until(() => requests.filter((request) => taskOf(request) === undefined).length === 3);
    await agent.idle();
    const told = session
      .context()
      .messages.flatMap((message) => (message.role === 'custom' ? [String(message.content)] : []));
    expect(told.join('\n')).toMatch(/task-1 \(task: a, b\) has ended:.*result of a.*result of b/s);
  });

  it('end with the session', async () => {
    const { agent, kernel, requests, session } = await subagentWorld({
      main: [{ calls: [delegate('task', ['a'], { background: true })] }, { text: 'meanwhile' }],
      tasks: { a: [{ hold: never }] },
    });
    await agent.prompt('go');
    await until(() => requests.some((request) => taskOf(request) === 'a'));
    await agent.dispose();
    expect((await kernel.find(liveAgents)).list()).toEqual([]);
    expect((await kernel.find(jobs)).list(session.id)).toEqual([]);
  });
});
