import { tool } from '@tenon/test-kit/kernel';
import { expect, it } from 'vitest';
import { connect } from './host.ts';

const PLAN = '# Better\n\n1. Change a.txt\n2. Test it\n';

it('a host begins planning, sees the plan, approves it and sees the tasks', async () => {
  const ran: string[] = [];
  const change = {
    ...tool(async () => (ran.push('change'), { content: [{ type: 'text' as const, text: 'changed' }] })),
    touches: () => ({ writes: ['/a.txt'] }),
  };
  const { host, remove } = await connect({
    script: [
      { calls: [{ name: 'change' }] },
      { calls: [{ name: 'submit_plan', arguments: { title: 'Better', plan: PLAN } }] },
      { calls: [{ name: 'change' }] },
      { text: 'Done; shall I test it?' },
    ],
    plugins: ['discovery', 'slash-commands'],
    tools: { change },
  });
  try {
    const asked = host.next((frame) => frame.type === 'extension_ui_request' && frame['method'] === 'select');
    const ended = host.nextOf('agent_end');
    await host.ask('prompt', { message: '/plan Make it better' });
    const question = await asked;
    expect(question).toMatchObject({
      title: expect.stringMatching(/^Plan: Better\n[\s\S]*1\. Change a\.txt/),
      options: expect.arrayContaining(['Approve and begin']),
    });
    expect(ran).toEqual([]);
    host.send({ type: 'extension_ui_response', id: question['id'], value: 'Approve and begin' });
    await ended;
    expect(ran).toEqual(['change']);
    const state = await host.ask('get_state');
    expect(JSON.stringify(state['data'])).toContain('Change a.txt');
  } finally {
    await host.end();
    await remove();
  }
});
