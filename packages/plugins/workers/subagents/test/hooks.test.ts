import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceTrust } from '@tenon/trust/api';
import { describe, expect, it } from 'vitest';
import { delegate, opening, subagentWorld, taskOf, yields } from './support/world.ts';

const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const note = (word: string) => `cat > /dev/null; echo ${word} >> log.txt`;

describe('hooks of the user', () => {
  it('hear of subagents, add to their task, and may make them go on', async () => {
    const settings = {
      hooks: {
        SessionStart: hook(note('session-start')),
        SubagentStart: hook(
          `${note('subagent-start')}; echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Mind the tests."}}'`,
        ),
        SubagentStop: hook(
          `${note('subagent-stop')}; [ $(grep -c subagent-stop log.txt) -gt 1 ] || echo '{"decision":"block","reason":"Run the linter, too."}'`,
        ),
        Stop: hook(note('stop')),
      },
    };
    const { agent, cwd, kernel, requests, results } = await subagentWorld(
      {
        main: [{ calls: [delegate('quick_task', ['one'])] }, { text: 'done' }],
        tasks: { one: [yields('first'), yields('second')] },
      },
      { files: { '.claude/settings.json': JSON.stringify(settings) }, plugins: ['external-hooks', 'sandbox'] },
    );
    await (await kernel.find(workspaceTrust)).grant(cwd, { force: true });
    await agent.prompt('go');
    const [first, second] = requests.filter((request) => taskOf(request) === 'one');
    expect(first && opening(first)).toContain('Mind the tests.');
    expect(JSON.stringify(second?.messages)).toContain('Run the linter, too.');
    expect(results()[0]?.text).toContain('second');
    expect(
      readFileSync(join(cwd, 'log.txt'), 'utf8')
        .split('\n')
        .filter((word) => word !== 'session-start'),
    ).toEqual(['subagent-start', 'subagent-stop', 'subagent-stop', 'stop', '']);
  });
});
