import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planTodos } from '../src/plan-todos.ts';

const PLAN = `# Faster parsing

Goal: parse twice as fast.

## Steps
1. **Measure** the parser in \`src/parse.ts\`
   1. with small files
2) Cache tokens

\`\`\`sh
1. not a step
\`\`\`

## Check
- [ ] run the tests
- [x] compare the numbers

## Risks and open questions
1. The cache may grow
`;

describe('the tasks of a plan', () => {
  it('are its numbered lines and boxes, by the part they stand in', () => {
    expect(planTodos(PLAN).map(({ name, tasks }) => [name, tasks.map(({ content }) => content)])).toEqual([
      ['Steps', ['Measure the parser in `src/parse.ts`', 'Cache tokens']],
      ['Check', ['run the tests', 'compare the numbers']],
    ]);
  });

  it('are its bullets when it has nothing else, and none when it is prose', () => {
    expect(planTodos('- one\n- two')[0]).toMatchObject({
      name: 'Plan',
      tasks: [{ content: 'one' }, { content: 'two' }],
    });
    expect(planTodos('We will change the parser.')).toEqual([]);
  });

  it('are few and short whatever the plan is, and each has its own id', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('1. ', '- ', '# ', '```', '- [ ] x', '1. \u001b[2J'),
      fc.string().map((text) => `1. ${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 80 }), (lines) => {
        const tasks = planTodos(lines.join('\n')).flatMap((phase) => phase.tasks);
        expect(tasks.length).toBeLessThanOrEqual(40);
        expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
        for (const { content } of tasks) {
          expect(content.length).toBeLessThanOrEqual(141);
          expect(content).not.toMatch(/[\u0000-\u001f]/);
        }
      }),
    );
  });
});
