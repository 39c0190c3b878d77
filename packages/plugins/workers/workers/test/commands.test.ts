import { doctorChecks } from '@tenon/doctor/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { endKernel, foldersIn, startKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN } from '../src/adapters/built-in.ts';
import { program } from './programs.ts';

afterEach(() => vi.unstubAllEnvs());

/** A machine with one CLI: codex. */
async function machine(script = 'echo "codex-cli 0.166.0"', custom: Record<string, unknown> = {}) {
  vi.stubEnv('PATH', program('codex', script));
  for (const name of ['OPENAI_API_KEY', 'CODEX_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'])
    vi.stubEnv(name, undefined);
  const kernel = await startKernel({
    folders: foldersIn(temporaryFolder('worker-commands')),
    plugins: ['settings', 'command-line', 'doctor', 'workers'],
    settings: { workers: { custom } },
  });
  later(() => endKernel(kernel));
  return kernel;
}

const json = (run: { out: string }) => JSON.parse(run.out) as Record<string, any>;

describe('tenon worker list', () => {
  it('says which are installed, in which version, and what works', async () => {
    const run = await runCommand(await machine(), 'worker list');
    expect(run.out).toMatch(/^WORKER +VERSION +ACCOUNTS OF +WORKS\n/);
    expect(run.out).toMatch(/\ncodex +0\.166\.0 +openai +events, resume, hijack, schema, mcp, usage/);
    expect(run.out).toMatch(/\nclaude +not installed +anthropic /);
  });

  it('is data for programs', async () => {
    const kernel = await machine();
    const { workers } = json(await runCommand(kernel, 'worker list', { flags: { json: true } }));
    expect(workers.map(({ id }: { id: string }) => id)).toEqual(Object.keys(BUILT_IN).sort());
    const codex = workers.find(({ id }: { id: string }) => id === 'codex');
    expect(codex).toMatchObject({ isInstalled: true, version: '0.166.0', vendor: 'openai' });
    expect(codex.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    const only = json(await runCommand(kernel, 'worker list', { flags: { json: true, installed: true } }));
    expect(only['workers'].map(({ id }: { id: string }) => id)).toEqual(['codex', 'tenon']);
  });

  it('has those that settings describe', async () => {
    const kernel = await machine(undefined, { mine: { program: 'codex', args: ['{prompt}'] } });
    expect((await runCommand(kernel, 'worker list')).out).toMatch(/\nmine +0\.166\.0 +mine +text\n/);
  });
});

describe('tenon worker doctor', () => {
  it('is content with a machine where what is installed works', async () => {
    const run = await runCommand(await machine(), 'worker doctor');
    expect(run.code).toBe(0);
    expect(run.out).toMatch(/Codex \(codex\)\n +ok +cli-installed +Codex 0\.166\.0 is at /);
    expect(run.out).toMatch(/not installed: aider, amp, claude/);
    expect(run.out).toContain('2 workers checked, all well.');
  });

  it('fails for one that does not start', async () => {
    const run = await runCommand(await machine('echo broken >&2; exit 1'), 'worker doctor', { flags: { json: true } });
    expect(run.code).toBe(1);
    const report = json(run);
    expect(report['isHealthy']).toBe(false);
    const wrong = report['workers'].filter(({ isHealthy }: { isHealthy: boolean }) => !isHealthy);
    expect(wrong).toMatchObject([{ id: 'codex', checks: [{ id: 'cli-installed', status: 'fail' }, {}, {}] }]);
  });

  it('fails for a missing one that was asked for', async () => {
    const run = await runCommand(await machine(), 'worker doctor', { args: { name: 'claude' } });
    expect(run.code).toBe(1);
    expect(run.out).toContain('npm install -g @anthropic-ai/claude-code');
  });

  it('says which key of a setting is wrong', async () => {
    const kernel = await machine(undefined, { mine: { program: 'codex', args: ['{promt}'] } });
    await expect(runCommand(kernel, 'worker doctor', { args: { name: 'mine' } })).rejects.toMatchObject({
      code: 'WORKERS_CUSTOM',
      message: expect.stringContaining('workers.custom.mine.args'),
    });
    // The others are not held up by it.
    expect((await runCommand(kernel, 'worker list')).out).not.toContain('mine');
  });
});

it('tenon doctor says what is installed, and which description is wrong', async () => {
  const kernel = await machine(undefined, {
    good: { program: 'codex', args: ['{prompt}'] },
    bad: { program: 'codex', args: ['{promt}'] },
  });
  const check = await kernel.read(doctorChecks).resolve('workers');
  expect(await check.run({ signal: AbortSignal.timeout(30_000) })).toEqual([
    { name: 'installed', status: 'ok', text: 'codex, good, tenon' },
    expect.objectContaining({
      name: 'bad',
      status: 'problem',
      text: expect.stringContaining('workers.custom.bad.args'),
    }),
  ]);
});

describe('tenon worker capabilities', () => {
  it('shows claims, tools, fingerprint and options of one', async () => {
    const run = await runCommand(await machine(), 'worker capabilities', { args: { name: 'kimi' } });
    expect(run.out).toMatch(/^Kimi Code \(kimi\)\n +output +events\n/);
    expect(run.out).toMatch(/ +tools +Agent, AgentSwarm,.*Bash/);
    expect(run.out).toMatch(/ +skillsDir +--skills-dir ARRAY +Folders with skills/);
  });

  it('is data for programs', async () => {
    const kernel = await machine();
    const { workers } = json(await runCommand(kernel, 'worker capabilities', { flags: { json: true } }));
    expect(workers).toHaveLength(Object.keys(BUILT_IN).length);
    expect(workers[0]).toMatchObject({ id: 'aider', capabilities: { version: 1, resume: 'none' } });
  });
});
