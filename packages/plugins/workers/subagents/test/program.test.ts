/** The built program with subagents over a scripted model. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

interface Ended {
  readonly type: string;
  readonly toolName?: string;
  readonly result: {
    readonly details: {
      readonly tasks: readonly {
        readonly id: string;
        readonly status: string;
        readonly merge: { readonly status: string; readonly kept?: string };
      }[];
    };
  };
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

  it('work in eight copies at once: six changes are merged, two conflicts told, nothing is lost', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const shared = ['a', 'g', 'h'];
    const command = (id: string) =>
      shared.includes(id) ? `echo '# ${id}' >README.md` : `mkdir -p made && echo 'by ${id}' >made/${id}.txt`;
    const eight = ids.map((id) => ({ id, description: `part ${id}`, assignment: `Do part ${id}.` }));
    workshop.model.otherwise(({ body }) => {
      const { messages } = body as unknown as Wire;
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      const [, id = ''] = isChild(messages) ? (/# Your task: part (\w)/.exec(JSON.stringify(messages)) ?? []) : [];
      const own = [call('task', { agent: 'task', tasks: eight, isolated: true }), says('done')];
      const answers =
        id === '' ? own : [call('bash', { command: command(id) }), call('yield', { result: `did ${id}` })];
      return answers[Math.min(turn, answers.length - 1)] as never;
    });
    const { code, out, err } = await workshop.tenon(
      ['--model', 'fake/m', '--tools', 'read,bash,task', '--mode', 'json', '-p', 'Do all parts.'],
      { TENON_SET: 'providers.probeLocal=false;subagents.isolation.mode=worktree;subagents.maxConcurrent=8' },
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [end] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Ended)
      .filter(({ type, toolName }) => type === 'tool_execution_end' && toolName === 'task');
    const ended = end?.result.details.tasks ?? [];
    expect(ended.map(({ id, status, merge }) => `${id} ${status} ${merge.status}`)).toEqual([
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `${id} completed merged`),
      ...['g', 'h'].map((id) => `${id} completed conflict`),
    ]);
    const { work } = workshop.home;
    expect(readFileSync(join(work, 'README.md'), 'utf8')).toBe('# a\n');
    expect(readdirSync(join(work, 'made'))).toEqual(['b', 'c', 'd', 'e', 'f'].map((id) => `${id}.txt`));
    for (const { id, merge } of ended.slice(6)) expect(readFileSync(merge.kept ?? '', 'utf8')).toContain(`+# ${id}`);
  });

  it('cannot bring what runs by itself into the folder by way of a copy', async (context) => {
    const { profile } = JSON.parse((await workshop.tenon(['sandbox', 'status', '--json'])).out) as { profile: string };
    if (profile === 'full') return context.skip();
    const hidden = ['.git/hooks/post-commit', '.tenon/agents/evil.md', '.claude/settings.json', '.vscode/tasks.json'];
    const script = hidden.map((path) => `p='${path}'; mkdir -p "\${p%/*}"; echo evil >"$p"`).join('; ');
    play(
      [call('task', { agent: 'task', tasks, isolated: true }), says('done')],
      [
        // Neither the words of the command nor its parser can tell what it does.
        call('bash', { command: `printf %s ${Buffer.from(script).toString('base64')} | base64 -d >run && sh run` }),
        call('bash', { command: 'rm -f run; echo ok >fine.txt' }),
        call('yield', { result: 'done' }),
      ],
    );
    const { code, err } = await workshop.tenon(['--model', 'fake/m', '--tools', 'read,bash,task', '-p', 'Do it.'], {
      TENON_SET: 'providers.probeLocal=false;subagents.isolation.mode=worktree',
    });
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(existsSync(join(workshop.home.work, 'fine.txt')), err).toBe(true);
    for (const path of hidden) expect(existsSync(join(workshop.home.work, path)), path).toBe(false);
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
