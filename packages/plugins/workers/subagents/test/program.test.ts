/** The built program with subagents over a scripted model. */
import { createInterface } from 'node:readline';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

interface Wire {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

let calls = 0;
const call = (name: string, input: object) => ({
  content: [{ type: 'toolCall' as const, id: `call_${++calls}`, name, arguments: input }],
});

/** Answers by who asks: the main agent or a task, and how often it has been answered. */
function play(main: readonly object[], task: readonly object[]): void {
  workshop.model.otherwise(({ body }) => {
    const { messages } = body as unknown as Wire;
    const answers = JSON.stringify(messages).includes('# Your task:') && isChild(messages) ? task : main;
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    return answers[Math.min(turn, answers.length - 1)] as never;
  });
}

const isChild = (messages: Wire['messages']) => JSON.stringify(messages[0]?.content).includes('You are a subagent');
const says = (text: string) => ({ content: [{ type: 'text', text }] });
const tasks = [{ id: 'look', description: 'look', assignment: 'Read the cart.' }];

describe('subagents of the built program', () => {
  it('are found by search, work, and leave their result to be read', async () => {
    play(
      [
        call('search_tool_bm25', { query: 'subagents in parallel' }),
        call('task', { agent: 'quick_task', tasks }),
        call('read', { path: 'agent://look' }),
        says('done'),
      ],
      [call('read', { path: 'src/cart.ts' }), call('yield', { result: 'It adds prices up.' })],
    );
    const { code, out, err } = await workshop.tenon(['--model', 'fake/m', '--mode', 'json', '-p', 'Look at the cart.']);
    expect(err).toBe('');
    expect(code).toBe(0);
    const ends = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; toolName?: string; isError?: boolean; result?: unknown })
      .filter(({ type }) => type === 'tool_execution_end');
    expect(ends.map(({ toolName, isError }) => `${toolName} ${isError}`)).toEqual([
      'search_tool_bm25 false',
      'task false',
      'read false',
    ]);
    expect(JSON.stringify(ends[0]?.result)).toMatch(/activated_tools[^\]]*task/);
    expect(JSON.stringify(ends[1]?.result)).toContain('It adds prices up.');
    expect(JSON.stringify(ends[2]?.result)).toContain('It adds prices up.');
  });

  it('do not make the first request longer', () => {
    const first = workshop.model.requests[0]?.body as unknown as Wire;
    expect(first.tools.map(({ function: { name } }) => name)).not.toContain('task');
  });

  it('ask the program at the other end of RPC, which sees who asks', async () => {
    play(
      [call('task', { agent: 'quick_task', tasks }), says('done')],
      [call('bash', { command: 'git push origin main' }), call('yield', { result: 'pushed or not' })],
    );
    const child = workshop.home.start(['--mode', 'rpc', '--model', 'fake/m', '--no-session', '--tools', 'bash,task'], {
      env: workshop.home.environment({ TENON_SET: 'approval.mode=ask' }),
    });
    const titles: string[] = [];
    const send = (frame: object) => child.stdin?.write(`${JSON.stringify(frame)}\n`);
    let result = '';
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const frame = JSON.parse(line) as Record<string, unknown>;
      if (frame['type'] === 'ready') send({ id: 'p', type: 'prompt', message: 'go' });
      if (frame['type'] === 'extension_ui_request' && frame['method'] === 'select') {
        titles.push(String(frame['title']));
        send({ type: 'extension_ui_response', id: frame['id'], value: 'Deny' });
      }
      if (frame['type'] === 'tool_execution_end') result = JSON.stringify(frame['result']);
      if (frame['type'] === 'agent_end') child.stdin?.end();
    }
    expect(titles).toHaveLength(1);
    expect(titles[0]).toContain('[subagent quick_task look] bash: git push origin main');
    expect(result).toContain('pushed or not');
  });
});
