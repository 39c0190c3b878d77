import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionStore } from '@tenon/sessions/api';
import { todos, type TodoPhase } from '@tenon/planning-tools/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { agentFactory } from '@tenon/agent/api';
import { heldMark, JobsPanel, planModeMark, PlanPanel, QueuePanel } from '../src/panels/index.ts';
import { badRows, bare, text, theme } from './cards-style.ts';

const look = { text, theme };
type Status = TodoPhase['tasks'][number]['status'];

function phase(name: string, ...tasks: readonly (readonly [string, Status])[]): TodoPhase {
  return {
    id: name,
    name,
    tasks: tasks.map(([content, status], index) => ({ id: `${name}-${index}`, content, status })),
  };
}

describe('the plan', () => {
  it('of a session is one row with the current task, opens to all tasks, and goes when all is done', async () => {
    const world = await createWorld({ plugins: ['planning-tools'] });
    const session = await (await world.kernel.find(sessionStore)).create({ cwd: world.cwd });
    await (await world.kernel.find(agentFactory)).create({ session, cwd: world.cwd });
    const service = await world.kernel.find(todos);
    const panel = new PlanPanel(look, { phases: () => service.phases(session.id), key: () => 'alt+t' });
    const drawn = () => bare(panel.render(60));
    expect(drawn()).toEqual([]);
    const plan = (second: Status) => [phase('Build', ['read the code', 'completed'], ['write the test', second])];
    await service.set(session.id, plan('in_progress'));
    expect(drawn()).toEqual(['☰ Plan 1/2 write the test (alt+t shows it)']);
    panel.isOpen = true;
    expect(drawn()).toEqual(['☰ Plan 1/2 write the test (alt+t folds it)', '  ✓ read the code', '  ▸ write the test']);
    await service.set(session.id, plan('completed'));
    expect(drawn()).toEqual([]);
  });

  it('that is long shows the rows around the current task', () => {
    const tasks = Array.from({ length: 40 }, (_, at): readonly [string, Status] => [
      `task ${at}`,
      at < 30 ? 'completed' : at === 30 ? 'in_progress' : 'pending',
    ]);
    const panel = new PlanPanel(look, { phases: () => [phase('One', ...tasks)] });
    panel.isOpen = true;
    const rows = bare(panel.render(60));
    expect(rows).toHaveLength(13);
    expect(rows).toContain('  ▸ task 30');
    expect(rows.at(-1)).toBe('  … 29 more');
  });
});

describe('subagents at work', () => {
  const job = { id: 'task-1', type: 'task', label: 'explore: one, two', status: 'running', durationMs: 12_000 };

  it('in the background have a row each below their job; others are named', () => {
    let frames = 0;
    const resultText = 'one: completed, 2 tool calls\ntwo: running, read src/a.ts, 1 tool call\nthree: waiting';
    const panel = new JobsPanel(look, {
      jobs: () => [{ ...job, resultText }],
      subagents: () => ['explore two', 'reviewer four', 'quick_task five'],
      again: () => void frames++,
    });
    expect(bare(panel.render(80))).toEqual([
      '⚙ 1 job: explore: one, two 12s',
      '  two: running, read src/a.ts, 1 tool call',
      '  three: waiting',
      '◆ 2 subagents: reviewer four, quick_task five',
    ]);
    expect(frames).toBe(1);
  });

  it('that are many are counted, and what a command prints is no subagent', () => {
    const resultText = Array.from({ length: 9 }, (_, at) => `t${at}: running`).join('\n');
    const rows = (type: string) => bare(new JobsPanel(look, { jobs: () => [{ ...job, type, resultText }] }).render(80));
    expect(rows('task')).toHaveLength(8);
    expect(rows('task').at(-1)).toBe('  … 3 more subagents');
    expect(rows('bash')).toEqual(['⚙ 1 job: explore: one, two 12s']);
  });

  it('are looked at again also before they have said anything', () => {
    let frames = 0;
    const panel = new JobsPanel(look, { jobs: () => [job], subagents: () => [], again: () => void frames++ });
    expect(panel.render(80)).toHaveLength(1);
    expect(frames).toBe(1);
  });

  it('ask for no frames when there are none', () => {
    const again = () => expect.unreachable('nothing changes by itself');
    const panel = new JobsPanel(look, { jobs: () => [{ ...job, type: 'bash' }], subagents: () => [], again });
    expect(panel.render(80)).toHaveLength(1);
  });
});

describe('other panels', () => {
  it('show waiting messages with the key that takes the last one back', () => {
    const messages = ['one', 'two', 'three', 'four', 'five\nlines'].map((said, index) => ({
      text: said,
      deliverAs: index % 2 === 0 ? ('steer' as const) : ('followUp' as const),
    }));
    const panel = new QueuePanel(look, { messages: () => messages, key: () => 'alt+up' });
    expect(bare(panel.render(60))).toEqual([
      '… 1 more before',
      '↳ when it is done: two',
      '↳ soon: three',
      '↳ when it is done: four',
      '↳ soon: five lines (alt+up edits it)',
    ]);
  });

  it('show jobs that run, planning, and questions elsewhere; nothing where there is nothing', () => {
    const job = { id: 'bash-1', label: 'npm run dev', status: 'running', durationMs: 65_000 };
    const jobs = (status: string) => bare(new JobsPanel(look, { jobs: () => [{ ...job, status }] }).render(60));
    expect(jobs('running')).toEqual(['⚙ 1 job: npm run dev 1m 05s']);
    expect(jobs('completed')).toEqual([]);
    const planning = (isOn: boolean) => bare(planModeMark(look, { isOn: () => isOn, key: () => 'alt+p' }).render(80));
    expect(planning(true)).toEqual(['▮ Planning: the agent looks and changes nothing (alt+p ends it)']);
    expect(planning(false)).toEqual([]);
    const held = (count: number) => bare(heldMark(look, { waiting: () => count }).render(80));
    expect([held(0), held(1), held(2)]).toEqual([
      [],
      ['? 1 call of another session waits for an answer'],
      ['? 2 calls of other sessions wait for an answer'],
    ]);
  });

  it('are never wider than the screen and pass no control sequences on', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('\u001b[2J', '表'.repeat(40), 'a\nb'),
    );
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 120 }), (said, width) => {
        const plan = new PlanPanel(look, { phases: () => [phase(said, [said, 'in_progress'])] });
        plan.isOpen = true;
        const panels = [
          plan,
          new QueuePanel(look, { messages: () => [{ text: said, deliverAs: 'steer' }], key: () => 'alt+up' }),
          new JobsPanel(look, {
            jobs: () => [
              {
                id: said,
                label: said,
                status: 'running',
                durationMs: 1,
                type: 'task',
                resultText: `a: running, ${said}`,
              },
            ],
            subagents: () => [said],
          }),
        ];
        const rows = panels.flatMap((panel) => panel.render(width));
        expect(badRows(rows, width)).toEqual([]);
      }),
    );
  });
});
