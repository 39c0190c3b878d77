import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TodoPhase } from '../src/api.ts';
import { applyOperations, isOpen, planText, tasksOf, tidy, type TodoOperation } from '../src/todo-plan.ts';

const plan = applyOperations(
  [],
  [
    {
      op: 'init',
      phases: [
        { name: 'Look', tasks: ['Read the code', ' Find the cause ', ''] },
        { name: 'Repair', tasks: ['Write a test', 'Change it'] },
      ],
    },
  ],
);
const after = (...operations: TodoOperation[]) => planText(applyOperations(plan, operations));

describe('a plan', () => {
  it('begins with its first task in progress', () => {
    expect(planText(plan)).toBe(
      'Look (0/2)\n[>] Read the code\n[ ] Find the cause\n\nRepair (0/2)\n[ ] Write a test\n[ ] Change it',
    );
  });

  it('goes on with the next task when one is done', () => {
    expect(after({ op: 'done', task: 'Read the code' })).toContain('[x] Read the code\n[>] Find the cause');
  });

  it('has one task in progress', () => {
    expect(after({ op: 'start', task: 'change it' })).toContain('[ ] Read the code');
    expect(after({ op: 'start', task: 'task-4' })).toContain('[>] Change it');
  });

  it('closes a phase or everything', () => {
    expect(after({ op: 'done', phase: 'look' })).toContain('Look (2/2)');
    expect(after({ op: 'drop' })).not.toMatch(/\[[ >]\]/);
    expect(after({ op: 'rm', phase: 'Look' })).toBe('Repair (0/2)\n[>] Write a test\n[ ] Change it');
    expect(after({ op: 'rm' })).toBe('');
  });

  it('grows, in a phase that is there or in a new one', () => {
    expect(after({ op: 'append', phase: 'repair', items: ['Tell the user'] })).toContain('[ ] Tell the user');
    expect(after({ op: 'append', phase: 'Publish', items: ['Tag'] })).toContain('Publish (0/1)\n[ ] Tag');
  });

  it('keeps notes with their task', () => {
    expect(after({ op: 'note', task: 'cause', text: 'an off-by-one' })).toContain(
      '[ ] Find the cause\n      an off-by-one',
    );
  });

  it.each([
    [{ op: 'done', task: 'Raed the code' }, /There is no task "Raed the code"\. Did you mean "Read the code"\?/],
    [{ op: 'done', task: 't' }, /"t" fits several tasks/],
    [{ op: 'done', phase: 'Test' }, /There is no phase "Test"/],
    [{ op: 'start' }, /"start" needs "task"/],
    [{ op: 'note', task: 'cause' }, /"note" needs "text"/],
    [{ op: 'append' }, /"append" needs "items"/],
    [{ op: 'init' }, /"init" needs "phases" or "items"/],
  ] as [TodoOperation, RegExp][])('refuses %j', (operation, message) => {
    expect(() => applyOperations(plan, [{ op: 'done' }, operation])).toThrow(message);
  });

  it('has exactly one task in progress while any is open, whatever is done to it', () => {
    const text = fc.constantFrom('a', 'b', 'c', 'd');
    const operation: fc.Arbitrary<TodoOperation> = fc.record(
      {
        op: fc.constantFrom('init', 'append', 'start', 'done', 'drop', 'rm', 'note'),
        items: fc.array(text, { minLength: 1, maxLength: 3 }),
        task: fc.constantFrom('a', 'b', 'task-1', 'task-3'),
        phase: fc.constantFrom('One', 'Todos'),
        text,
      },
      { requiredKeys: ['op'] },
    );
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        let phases: readonly TodoPhase[] = [];
        for (const one of operations) {
          try {
            phases = applyOperations(phases, [one]);
          } catch (fault) {
            expect(fault).toMatchObject({ owner: 'planning-tools' });
          }
          const tasks = tasksOf(phases);
          const running = tasks.filter(({ status }) => status === 'in_progress').length;
          expect(running).toBe(tasks.some(isOpen) ? 1 : 0);
          expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
          expect(tidy(phases)).toEqual(phases);
        }
      }),
    );
  });
});
