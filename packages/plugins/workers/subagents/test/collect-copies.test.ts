/** `tenon agents gc`, after a process was killed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '@tenon/test-kit/built-program';
import { recordedIo } from '@tenon/test-kit/command-run';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import { collectCopies } from '../src/commands.ts';
import { parentRepository } from './isolation-world.ts';

test('a copy of a killed process becomes a patch, which is shown also later, until a person deletes it', async () => {
  const { base, cwd, folders } = parentRepository();
  const collect = async (json = false) => {
    const { io, written } = recordedIo();
    await collectCopies(folders, { io, args: {}, flags: { json }, cwd, signal: new AbortController().signal });
    return written;
  };
  expect((await collect()).out).toBe('No copies were left behind.\n');

  const program = await buildProgram(join(import.meta.dirname, 'fixtures/isolation-open.ts'));
  const child = spawn(process.execPath, [program, cwd, base, 'worktree'], { stdio: ['ignore', 'pipe', 'inherit'] });
  later(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
  await until(() => out.includes('\n'), 'the workspace');
  expect((await collect()).out).toBe('No copies were left behind.\n');
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.kill('SIGKILL');
  await ended;

  const first = (await collect()).out;
  expect(first).toMatch(/^\S+: removed, its work is in \S+\.patch\n/);
  expect(existsSync(out.trim())).toBe(false);
  const patch = /its work is in (\S+)/.exec(first)?.[1] ?? '';
  const again = (await collect()).out;
  expect(again).toContain('No copies were left behind.\nWork of subagents that was not merged');
  expect(again).toContain(patch);
  expect((await collect(true)).json).toEqual({ copies: [], patches: [{ file: patch, time: expect.any(String) }] });
});
