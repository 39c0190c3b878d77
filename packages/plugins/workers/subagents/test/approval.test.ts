import type { ApprovalDecision, ApprovalQuestion } from '@tenon/host';
import { approvals } from '@tenon/approval/api';
import { commandTool } from '@tenon/test-kit/kernel';
import { describe, expect, it } from 'vitest';
import { delegate, subagentWorld, taskOf, yields } from './support/world.ts';

const push = { name: 'run', arguments: { command: 'git push origin main' } };
const ran: string[] = [];
const run = commandTool(async ({ command }) => {
  ran.push(String(command));
  return { content: [{ type: 'text', text: 'pushed' }] };
});

/** A world whose subagents have a tool that runs commands, and a person who answers. */
async function asked(
  answer: (question: ApprovalQuestion) => ApprovalDecision | undefined,
  { main = true, maxConcurrent = 1, wait = async () => {} } = {},
) {
  const questions: ApprovalQuestion[] = [];
  const world = await subagentWorld(
    {
      main: main
        ? [{ calls: [delegate('quick_task', ['one', 'two'])] }, { text: 'done' }]
        : [{ calls: [push] }, { calls: [delegate('quick_task', ['one'])] }, { text: 'done' }],
      tasks: { one: [{ calls: [push] }, yields('ok')], two: [{ calls: [push] }, yields('ok')] },
    },
    {
      tools: { run },
      ui: {
        canAsk: () => true,
        decide: async (question) => {
          questions.push(question);
          await wait();
          return answer(question);
        },
      },
      subagents: { maxConcurrent },
    },
  );
  await world.agent.setTools(['read', 'run', 'task']);
  ran.length = 0;
  return { ...world, questions };
}

const choose = (extent: 'once' | 'session') => (question: ApprovalQuestion) => ({
  choice: question.choices.find((choice) => choice.extent === extent)?.id ?? '',
});

describe('a call of a subagent that needs approval', () => {
  it('is asked about with the name of the subagent', async () => {
    const { agent, questions } = await asked(choose('once'));
    await agent.prompt('go');
    expect(questions).toHaveLength(2);
    expect(questions.map(({ subagent }) => subagent)).toEqual(['quick_task one', 'quick_task two']);
    expect(ran).toHaveLength(2);
  });

  it('is let through for all subagents of the session after a yes for the session', async () => {
    const { agent, questions } = await asked(choose('session'));
    await agent.prompt('go');
    expect(questions).toHaveLength(1);
    expect(ran).toHaveLength(2);
  });

  it('is one question at a time when several make the same call at once', async () => {
    let [open, most] = [0, 0];
    const { agent, questions } = await asked(choose('once'), {
      maxConcurrent: 2,
      wait: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 20));
        open--;
      },
    });
    await agent.prompt('go');
    expect(questions).toHaveLength(2);
    expect(most).toBe(1);
    expect(ran).toHaveLength(2);
  });

  it('is let through when the user has allowed it to the agent itself', async () => {
    const { agent, questions } = await asked(choose('session'), { main: false });
    await agent.prompt('go');
    expect(questions).toHaveLength(1);
    expect(questions[0]?.notes).toEqual([]);
    expect(ran).toHaveLength(2);
  });

  it('is refused with the reason when the user says no', async () => {
    const { agent, requests } = await asked((question) => ({
      choice: question.choices.find(({ allows }) => !allows)?.id ?? '',
      reason: 'not today',
    }));
    await agent.prompt('go');
    expect(ran).toEqual([]);
    expect(JSON.stringify(requests.filter((request) => taskOf(request) === 'one')[1]?.messages)).toContain('not today');
  });

  it('is refused when the user has ruled the tool out for the run', async () => {
    const { agent, questions, kernel, session, requests } = await asked(choose('once'));
    (await kernel.find(approvals)).preDeny(session.id, ['run']);
    await agent.prompt('go');
    expect(questions).toEqual([]);
    expect(ran).toEqual([]);
    expect(JSON.stringify(requests.filter((request) => taskOf(request) === 'one')[1]?.messages)).toContain(
      '--disallowed-tools',
    );
  });
});
