/** Python code that the user types, from a mode to a real kernel and into the conversation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type UserCommandResult, liveAgents, userPython } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { type Kernel } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type ModeCall, modes } from '@tenon/modes/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { runAgent } from '@tenon/test-kit/command-run';
import { type Script } from '@tenon/test-kit/scripted-models';

type World = Awaited<ReturnType<typeof createWorld>>;
type Agent = Awaited<ReturnType<ModeCall['open']>>['agent'];
type Python = (command: string, options?: { signal?: AbortSignal; isHidden?: boolean }) => Promise<UserCommandResult>;

let world: World | undefined;
afterEach(async () => {
  await world?.remove();
  world = undefined;
});

/** Runs a mode in which a user types what `talk` says. */
async function converse(
  talk: (python: Python, agent: Agent, world: World) => Promise<void>,
  options: { settings?: Record<string, unknown>; script?: Script; others?: ReturnType<typeof inlineCandidate>[] } = {},
): Promise<Kernel> {
  const typed = inlineCandidate(
    {
      id: 'typed',
      defines: [doctorChecks, cliCommands],
      activate(ctx) {
        ctx.contribute(modes, 'typed', {
          async run(call) {
            const { agent } = await call.open();
            const python: Python = (command, { signal = call.signal, isHidden = false } = {}) =>
              call.runUserCommand(agent, { kind: 'python', command, signal, excludeFromContext: isHidden });
            if (world) await talk(python, agent, world);
            await agent.dispose();
            return 0;
          },
        });
      },
    },
    {
      defines: { slots: [doctorChecks.id, cliCommands.id] },
      contributes: {
        modes: { typed: { summary: 'for a test', takesInput: false } },
      },
    },
  );
  world = await createWorld({
    ...(options.script && { script: options.script }),
    settings: { sandbox: { profile: 'full' }, ...options.settings },
    plugins: ['modes', 'sandbox', 'eval-tools', typed, ...(options.others ?? [])],
  });
  const { code } = await runAgent(world.kernel, [], { flags: { mode: 'typed' }, cwd: world.cwd });
  expect(code).toBe(0);
  return world.kernel;
}

const stateOf = (kernel: Kernel) => kernel.status().find(({ id }) => id === 'eval-tools')?.state;

describe('Python code of the user', () => {
  it('runs in the kernel of the session, and the model reads it with the next prompt', async () => {
    await converse(
      async (python, agent, { requests, kernel, cwd }) => {
        expect(stateOf(kernel)).toBe('installed');
        expect(await python('answer = 6 * 7\nprint("made")')).toEqual({
          output: 'made\n',
          exitCode: 0,
          cancelled: false,
          truncated: false,
        });
        expect(await python('import os\nos.getcwd()')).toMatchObject({ output: `'${cwd}'\n` });
        expect(await python('secret = 1\nprint("hidden words")', { isHidden: true })).toMatchObject({ exitCode: 0 });
        await agent.setTools(['eval']);
        await agent.prompt('What was that?');
        expect(JSON.stringify(requests[0]?.messages)).toMatch(/answer = 6 \* 7.*made.*What was that\?/);
        expect(JSON.stringify(requests[0]?.messages)).not.toContain('hidden words');
        // The model's own cell finds what the user left.
        expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('43');
      },
      {
        script: [
          { calls: [{ name: 'eval', arguments: { input: '*** Cell py\nanswer + secret' } }] },
          { text: 'Forty-three.' },
        ],
      },
    );
  });

  it('tells about a failure in the output and keeps the variables', async () => {
    await converse(async (python) => {
      const failed = await python('kept = 1\nnothing');
      expect(failed).toMatchObject({ exitCode: 1, cancelled: false });
      expect(failed.output).toMatch(/NameError: name 'nothing' is not defined\n$/);
      expect(await python('kept')).toMatchObject({ output: '1\n', exitCode: 0 });
      expect(await python('import os; os._exit(3)')).toMatchObject({
        output: expect.stringMatching(/ended its kernel.*exit code 3/),
        cancelled: false,
      });
      expect((await python('"kept" in dir()')).output).toMatch(/^False\n\[The python kernel is a new one/);
    });
  });

  it('gives the end of a long output, and all of it in a file of the session', async () => {
    await converse(async (python) => {
      const { output, truncated, fullOutputPath } = await python('for i in range(20000): print("line", i)');
      expect(truncated).toBe(true);
      expect(output).toMatch(/line 19999\n$/);
      expect(output.length).toBeLessThan(60_000);
      expect(readFileSync(fullOutputPath ?? '', 'utf8')).toMatch(/^line 0\n[^]*line 19999\n$/);
    });
  });

  it('is stopped without losing what was there before', async () => {
    await converse(async (python, _agent, { cwd }) => {
      await python('kept = 1');
      const stop = new AbortController();
      const started = join(cwd, 'started');
      const code = `open(${JSON.stringify(started)}, "w").close()\nwhile True: pass`;
      const running = python(code, { signal: stop.signal });
      await expect.poll(() => readFileSync(started, 'utf8')).toBe('');
      stop.abort(new DOMException('The user stopped it.', 'AbortError'));
      expect(await running).toMatchObject({ cancelled: true });
      expect(await python('kept')).toMatchObject({ output: '1\n' });
    });
  });

  it('is refused in words where there is no Python and where cells in Python are switched off', async () => {
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ python: '/nowhere/python' }, /No Python was found[^]*Install python3/],
      [{ languages: ['javascript'] }, /switched off[^]*eval-tools\.languages/],
    ];
    for (const [settings, words] of cases) {
      await converse(
        async (python) => {
          expect(await python('1')).toMatchObject({ exitCode: 1, output: expect.stringMatching(words) });
        },
        { settings: { 'eval-tools': settings } },
      );
      await world?.remove();
    }
  });

  it('is left to a plugin that carries it out in its own way', async () => {
    const elsewhere = inlineCandidate(
      {
        id: 'elsewhere',
        activate: (ctx) =>
          void ctx.on(userPython, ({ command }) =>
            command.startsWith('far')
              ? { result: { output: 'far away', cancelled: false, truncated: false } }
              : undefined,
          ),
      },
      { handles: [userPython.id] },
    );
    await converse(
      async (python) => {
        expect(await python('far = 1')).toMatchObject({ output: 'far away' });
        expect(await python('1 + 1')).toMatchObject({ output: '2\n' });
      },
      { others: [elsewhere] },
    );
  });

  it('ends its kernel with the session', async () => {
    let pid = 0;
    const kernel = await converse(
      async (python) => void (pid = Number((await python('import os\nos.getpid()')).output)),
    );
    expect((await kernel.find(liveAgents)).list()).toEqual([]);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});
