import { createWorld } from '@tenon/test-kit/agent-world';
import { runAgent } from '@tenon/test-kit/command-run';
import { tool } from '@tenon/test-kit/kernel';
import { expect, it } from 'vitest';

const PLAN = '# Better\n\n1. Change a.txt\n2. Test it\n';

it('--plan prints a plan and changes nothing; the plan is approved in a later call', async () => {
  const ran: string[] = [];
  const change = {
    ...tool(async () => (ran.push('change'), { content: [{ type: 'text' as const, text: 'changed' }] })),
    touches: () => ({ writes: ['/a.txt'] }),
  };
  const world = await createWorld({
    script: [
      { calls: [{ name: 'change' }] },
      { calls: [{ name: 'submit_plan', arguments: { title: 'Better', plan: PLAN } }] },
      { text: PLAN },
      { calls: [{ name: 'change' }] },
      { text: 'Done; shall I test it?' },
    ],
    plugins: ['modes', 'print-mode', 'planning-tools', 'discovery', 'slash-commands'],
    tools: { change },
  });
  const planned = await runAgent(world.kernel, ['Make it better'], {
    flags: { print: true, plan: true },
    cwd: world.cwd,
  });
  expect(planned).toMatchObject({ code: 0, out: PLAN });
  expect(ran).toEqual([]);
  const again = { flags: { print: true, continue: true }, cwd: world.cwd };
  const { code, out } = await runAgent(world.kernel, ['/plan approve'], again);
  expect({ code, out }).toEqual({ code: 0, out: 'Done; shall I test it?\n' });
  expect(ran).toEqual(['change']);
  expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain('Its steps are your tasks');
});
