import { approvals } from '@tenon/approval/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { toolCall } from '@tenon/tools/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { runAgent } from '@tenon/test-kit/command-run';
import { commandTool, tool } from '@tenon/test-kit/kernel';
import { until } from '@tenon/test-kit/waiting';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

async function world(options: WorldOptions = {}) {
  const made = await createWorld({
    ...options,
    plugins: ['modes', 'print-mode', ...(options.plugins ?? [])],
  });
  worlds.push(made);
  return made;
}

describe('print mode', () => {
  it('keeps the plugin contract', () => pluginContract({ source, plugin }));

  it('writes the final answer, and nothing else, to standard output', async () => {
    const { kernel } = await world({
      script: [{ text: 'Let me see.', calls: [{ name: 'look' }] }, { pieces: ['All ', 'is well.'] }],
      tools: { look: tool(async () => ({ content: [{ type: 'text', text: 'fine' }] })) },
    });
    expect(await runAgent(kernel, ['how', 'is', 'it?'])).toEqual({ code: 0, out: 'All is well.\n', err: '' });
  });

  it('writes what a slash command says to standard output: it is the answer', async () => {
    const { kernel, requests } = await world({ plugins: ['discovery', 'slash-commands'] });
    const { code, out, err } = await runAgent(kernel, ['/status']);
    expect([code, err, requests]).toEqual([0, '', []]);
    expect(out).toContain('Model:    test/m');
  });

  it('gives a terminal text without control sequences, and a program what the model wrote', async () => {
    const hostile = 'Done.\u001b]52;c;cm0=\u0007\u001b]0;owned\u0007\u001b[2J \u202Egnp.exe\u{e0041} 👩‍👧';
    const answer = async (terminal: boolean) => {
      const { kernel } = await world({ script: [{ text: hostile }] });
      return (await runAgent(kernel, ['go'], { io: { terminal } })).out;
    };
    expect(await answer(true)).toBe('Done.  gnp.exe 👩‍👧\n');
    expect(await answer(false)).toBe(`${hostile}\n`);
  });

  it('with --json shows no secret, also not while a tool still runs', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB';
    const text = [{ type: 'text' as const, text: `the key is ${secret}` }];
    const { kernel } = await world({
      plugins: ['secrets', 'doctor'],
      script: [{ text: 'Let me see.', calls: [{ name: 'look' }] }, { text: 'Fine.' }],
      tools: {
        look: tool(async (_, call) => {
          await call.update({ content: text });
          return { content: text, details: { text } };
        }),
      },
    });
    const { out } = await runAgent(kernel, [`use ${secret}`], { flags: { json: true } });
    expect(out).toContain('tool_execution_update');
    expect(out).not.toContain(secret);
    expect(out).toMatch(/the key is #[A-Z0-9]{4}#/);
  });

  it('with --json writes the header of the session and then every event, a line each', async () => {
    const { kernel, home } = await world({ script: [{ pieces: ['a', 'b'] }] });
    const { code, out } = await runAgent(kernel, ['go'], { flags: { json: true }, cwd: home });
    const frames = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(frames[0]).toMatchObject({ type: 'session', version: 3, cwd: home });
    const order = frames.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(order).toEqual([
      'session',
      'agent_start',
      'turn_start',
      'message_start',
      'message_end',
      'message_start',
      'message_update',
      'message_end',
      'turn_end',
      'agent_end',
    ]);
    const deltas = frames.flatMap(
      ({ assistantMessageEvent }) => (assistantMessageEvent as { delta?: string })?.delta ?? [],
    );
    expect(deltas.join('')).toBe('ab');
    expect(frames.at(-1)).toMatchObject({ type: 'agent_end', messages: [{ role: 'user' }, { role: 'assistant' }] });
  });

  it('ends with 1 and the next step when the model fails', async () => {
    const { kernel } = await world({ script: [{ fail: { kind: 'auth', message: 'the key is wrong' } }] });
    const { code, out, err } = await runAgent(kernel, ['go']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/the key is wrong\n {2}next: .*--resume [0-9a-f]+/);
  });

  it('with --json tells what went wrong as JSON, too', async () => {
    const { kernel } = await world({ script: [{ fail: { kind: 'auth', message: 'the key is wrong' } }] });
    const { code, err } = await runAgent(kernel, ['go'], { flags: { json: true } });
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'PRINT_MODEL_FAILED', owner: 'print-mode' } });
  });

  it('ends with 1 when it is stopped, after the agent has stopped', async () => {
    const { kernel, requests } = await world({ script: [{ text: 'thinking', hold: new Promise(() => undefined) }] });
    const controller = new AbortController();
    const run = runAgent(kernel, ['go'], { signal: controller.signal });
    await until(() => requests.length > 0, 'the first request');
    controller.abort();
    const { code, err } = await run;
    expect(code).toBe(1);
    expect(err).toContain('stopped before it was done');
  });

  it('ends with 0 when the model finished its answer, though a hook or a policy refused a call, and says who did', async () => {
    const gate = inlineCandidate(
      { id: 'gate', activate: (ctx) => void ctx.on(toolCall, () => ({ deny: 'never on a Friday' })) },
      { handles: ['tool.call'] },
    );
    const { kernel } = await world({
      script: [{ calls: [{ name: 'shoot' }] }, { text: 'Then not.' }],
      tools: { shoot: tool(async () => ({ content: [] })) },
      plugins: [gate],
    });
    const { code, out, err } = await runAgent(kernel, ['go']);
    expect({ code, out }).toEqual({ code: 0, out: 'Then not.\n' });
    expect(err).toMatch(
      /"shoot" was refused by gate: never on a Friday\n {2}next: The model was told .*--resume [0-9a-f]+/,
    );
  });

  it('ends with 1 when a call waits for an answer, though the model goes on', async () => {
    const { kernel, home } = await world({
      script: [
        { calls: [{ name: 'bash', arguments: { command: 'git push --force' } }] },
        { text: 'It needs your approval.' },
      ],
      tools: { bash: commandTool(async () => ({ content: [] })) },
      plugins: ['approval'],
    });
    const flags = { print: true, 'no-session': true };
    const { code, out, err } = await runAgent(kernel, ['push it'], { flags, cwd: home });
    expect({ code, out }).toEqual({ code: 1, out: 'It needs your approval.\n' });
    expect(err).toMatch(/needs approval \(tier 3.* waits for your answer: .*git push --force/);
    // Nothing of it was kept, so there is nothing to resume.
    expect(err).toMatch(/next: .*`tenon approval allow [0-9a-f]+`.*, then run the command again\.\n$/);
    expect(err).not.toContain('--resume');
    const [waiting] = await (await kernel.find(approvals)).held();
    expect(waiting).toMatchObject({ tool: 'bash', state: 'waiting' });
  });

  it('tells about retries on standard error', async () => {
    const { kernel } = await world({ script: [{ text: 'ok', retry: true }] });
    const { out, err } = await runAgent(kernel, ['go']);
    expect(out).toBe('ok\n');
    expect(err).toContain('Asking the model again in 1 s (attempt 1 of 3)');
  });

  it('has nothing to do without a prompt', async () => {
    const { kernel } = await world();
    await expect(runAgent(kernel, [], { piped: '' })).rejects.toMatchObject({ code: 'PRINT_NO_PROMPT' });
  });
});
