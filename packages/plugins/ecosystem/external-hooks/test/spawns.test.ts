/** How many processes are started, counted where they are started. */
import type * as childProcess from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { calling, grouped, hookWorld, removeWorlds } from './support/hook-world.ts';

const spawned = vi.hoisted(() => ({ programs: [] as string[] }));
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof childProcess>();
  const counting =
    <T extends (...given: never[]) => unknown>(start: T) =>
    (...given: Parameters<T>) => {
      spawned.programs.push(String(given[0]));
      return start(...given);
    };
  const names = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;
  return { ...real, ...Object.fromEntries(names.map((name) => [name, counting(real[name] as never)])) };
});

beforeEach(() => void (spawned.programs.length = 0));
afterEach(removeWorlds);

const script = calling('bash', { command: 'ls' });
const events = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop', 'Notification'];

describe('A session', () => {
  it('in a project that nobody trusts starts no process, whatever hooks the project brings, and says so once', async () => {
    const world = await hookWorld({
      trusted: false,
      script,
      files(files) {
        const command = files.script('spawned');
        const hooks = grouped(Object.fromEntries(events.map((event) => [event, command])));
        const flat = { beforeShellExecution: [{ command }], stop: [{ command }] };
        files.write('project/.claude/settings.json', { hooks });
        files.write('project/.codex/hooks.json', { hooks });
        files.write('project/.codex/config.toml', `notify = ["${command}"]\n`);
        files.write('project/.gemini/settings.json', { hooks: grouped({ BeforeTool: command, BeforeAgent: command }) });
        files.write('project/.cursor/hooks.json', { version: 1, hooks: flat });
      },
    });
    await world.agent.prompt('go');
    await world.end();
    expect(spawned.programs).toEqual([]);
    expect(world.executed).toHaveLength(1);
    expect(world.notices().filter((text) => text.includes('not trusted'))).toHaveLength(1);
  });

  it('without hooks starts none either', async () => {
    const world = await hookWorld({ script });
    await world.agent.prompt('go');
    await world.end();
    expect(spawned.programs).toEqual([]);
    expect(world.notices()).toEqual([]);
  });

  it('with one hook starts one', async () => {
    const world = await hookWorld({
      script,
      files: (files) => files.claude('project', { PreToolUse: files.script('guard') }),
    });
    await world.agent.prompt('go');
    await world.end();
    expect(spawned.programs).toEqual(['/bin/sh']);
    expect(world.files.told('guard')).toHaveLength(1);
  });
});
