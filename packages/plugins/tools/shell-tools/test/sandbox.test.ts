import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type Confinement, type Profile, sandboxes, UNCONFINED } from '@tenon/sandbox/api';
import { toolCall } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workbench } from '@tenon/test-kit/workbench';
import { openShellBench } from './shell-bench.ts';
import { workFolder } from '@tenon/test-kit/work-folder';

let bench: Workbench;
let outside: string;
async function open(profile: Profile): Promise<boolean> {
  bench = await openShellBench({
    files: { 'src/a.txt': 'x' },
    settings: { sandbox: { profile }, 'shell-tools': { backgroundAfterSeconds: 1 } },
    more: ['sandbox'],
  });
  const box = await bench.kernel.find(sandboxes);
  return box.wrap({ cwd: bench.root }).then(
    async (confinement) => (await confinement.dispose(), true),
    () => false,
  );
}
beforeEach(() => {
  // Not in /tmp, which every sandbox replaces; ignored by git and by every tool.
  const work = workFolder();
  mkdirSync(work, { recursive: true });
  outside = mkdtempSync(join(work, 'shell-'));
});
afterEach(async () => {
  await bench.dispose();
  rmSync(outside, { recursive: true, force: true });
});

describe('commands in a real sandbox', () => {
  it('change the workspace and nothing else; a failure names the profile and the way out', async (context) => {
    if (!(await open('workspace-write'))) return context.skip();
    await bench.ok('bash', { command: 'echo inside > made.txt' });
    expect(bench.get('made.txt')).toBe('inside\n');
    const text = await bench.fails('bash', { command: `touch ${outside}/x` });
    expect(text).toMatch(
      /\[Sandbox workspace-write .*call again with unsandboxed: true and a reason\.\]\n\nCommand exited/,
    );
    expect(existsSync(join(outside, 'x'))).toBe(false);
    expect(await bench.fails('bash', { command: 'ls nowhere' })).not.toMatch(/Sandbox/);
  });

  it('keep folder, variables and functions, over exits too, and show nothing of the machinery', async (context) => {
    if (!(await open('workspace-write'))) return context.skip();
    await bench.ok('bash', { command: 'cd src; word=hello; say() { echo "$word $1"; }' });
    expect(await bench.fails('bash', { command: 'exit 3' })).toBe('(no output)\n\nCommand exited with code 3');
    expect(await bench.ok('bash', { command: 'say you; pwd' })).toBe(`hello you\n${bench.path('src')}`);
    expect(await bench.fails('bash', { command: 'sleep 60', timeout: 1 })).toMatch(/timed out/);
    expect(await bench.fails('bash', { command: 'kill -9 $$' })).toMatch(/with the variables from before/);
    expect(await bench.ok('bash', { command: 'say again' })).toBe('hello again');
  });

  it('read the full output of an earlier command by the path that it was given', async (context) => {
    if (!(await open('workspace-write'))) return context.skip();
    await bench.ok('bash', { command: 'word=kept' });
    expect(await bench.ok('bash', { command: 'seq 100000' })).toContain('Full: artifact://');
    const folder = join(bench.home, 'artifacts-one');
    const path = join(folder, readdirSync(folder)[0] ?? '');
    expect(await bench.ok('bash', { command: `wc -l < '${path}'; echo "$word"` })).toBe('100000\nkept');
    expect(await bench.fails('bash', { command: `echo x > '${path}'` })).toMatch(/Read-only|denied/);
  });

  it('end at once when they switch the shell off, and the next one has the state from before', async (context) => {
    if (!(await open('workspace-write'))) return context.skip();
    await bench.ok('bash', { command: 'cd src; word=kept; say() { echo "said $word"; }' });
    for (const command of ['set -n', "shopt -s extdebug; trap 'false' DEBUG; echo never", 'x=n; set -$x']) {
      expect(await bench.ok('bash', { command }), command).toMatch(/reads commands and runs none/);
      expect(await bench.ok('bash', { command: 'say; pwd' }), command).toBe(`said kept\n${bench.path('src')}`);
    }
  });

  it('run as jobs and on terminals under the same profile and with the same state', async (context) => {
    if (!(await open('read-only'))) return context.skip();
    await bench.ok('bash', { command: 'say() { echo "said $1"; }' });
    expect(await bench.fails('bash', { command: 'say so; touch made', pty: true })).toMatch(
      /^said so\n.*Read-only file system[\s\S]*Sandbox read-only/,
    );
    await bench.ok('bash', { command: 'say so; touch made', async: true });
    expect(await bench.ok('job', {})).toMatch(/failed\nsaid so\n.*Read-only file system[\s\S]*Sandbox read-only/);
    await bench.ok('bash', { command: 'say long; sleep 1.5' });
    expect(await bench.ok('bash', { command: 'say next' })).toMatch(/^said next/);
    expect(existsSync(bench.path('made'))).toBe(false);
  });

  it('leave it only with a reason, which whoever judges the call can see', async (context) => {
    if (!(await open('workspace-write'))) return context.skip();
    const seen: unknown[] = [];
    bench.kernel.install(
      inlineCandidate(
        { id: 'gate', activate: (ctx) => void ctx.on(toolCall, ({ input }) => void seen.push(input)) },
        { handles: ['tool.call'] },
      ),
    );
    await bench.ok('bash', { command: 'cd src; word=inside; touch() { echo fooled; }' });
    const command = `echo "[$word] $PWD"; touch ${outside}/x`;
    expect(await bench.fails('bash', { command, unsandboxed: true })).toMatch(/needs a reason/);
    const text = await bench.ok('bash', { command, unsandboxed: true, reason: 'the file belongs there' });
    // Nothing that ran inside can prepare a trap for what runs outside.
    expect(text).toBe(`[] ${bench.path('src')}`);
    expect(existsSync(join(outside, 'x'))).toBe(true);
    expect(seen.at(-1)).toMatchObject({ unsandboxed: true, reason: 'the file belongs there' });
    expect(await bench.ok('bash', { command: 'echo "$word"; touch' })).toBe('inside\nfooled');
  });
});

describe('a change of the profile', () => {
  it('starts a new shell: with the whole state when it is narrower, with the folder alone when it is wider', async () => {
    const now: { profile: Profile } = { profile: 'full' };
    const disposed: Profile[] = [];
    const box = inlineCandidate(
      {
        id: 'box',
        activate: (ctx) =>
          void ctx.provide(sandboxes, {
            profileFor: async () => now.profile,
            async wrap({ profile = now.profile }): Promise<Confinement> {
              const argv = profile === 'full' ? [] : ['env'];
              return {
                ...UNCONFINED,
                profile,
                argv,
                argvWith: () => argv,
                env: { BOX: profile, BOX_TOKEN: profile === 'full' ? 'token' : undefined },
                describe: () => `Box ${profile}.`,
                dispose: async () => void disposed.push(profile),
              };
            },
          }),
      },
      { provides: ['sandboxes'] },
    );
    bench = await openShellBench({ files: { 'src/a.txt': 'x' } });
    bench.kernel.install(box);
    await bench.ok('bash', { command: 'cd src; word=hello; export BOX_TOKEN=secret' });
    const show = { command: 'echo "${word-} ${BOX-} ${BOX_TOKEN-} ${PWD##*/}"' };
    now.profile = 'workspace-write';
    expect(await bench.ok('bash', show)).toBe('hello workspace-write  src');
    now.profile = 'read-only';
    expect(await bench.ok('bash', show)).toBe('hello read-only  src');
    expect(disposed).toEqual(['full', 'workspace-write']);
    now.profile = 'workspace-write';
    expect(await bench.ok('bash', show)).toMatch(/^ workspace-write {2}src\n\n\[The sandbox profile has become wider/);
    expect(readFileSync(bench.path('src/a.txt'), 'utf8')).toBe('x');
  });
});
