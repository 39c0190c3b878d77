/** Tenon as a worker of Tenon: the real program, with its offline model. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Home, MAIN } from '@tenon/test-kit/program';
import { later, putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import type { ParserContext, WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/tenon.ts';
import { ofType, play } from './playing.ts';

/** Starts the worker as the keeper would, and gives what the parser makes of it. */
function workshop(files: Readonly<Record<string, string>> = {}) {
  const home = new Home();
  later(() => home.remove());
  putFiles(home.work, files);
  const base: WorkerTask = { prompt: 'x', cwd: home.work, scratch: join(home.folder, 'scratch') };
  const run = (task: Partial<WorkerTask>, env: Record<string, string> = {}, context: ParserContext = {}) => {
    const { program, args } = adapter.command({ ...base, ...task });
    const words = args[0]?.endsWith('.js') ? [MAIN, ...args.slice(1)] : args;
    const { stdout, stderr, status } = spawnSync(program, words, {
      cwd: home.work,
      // As every worker: an agent could have asked for the run.
      env: home.environment({ TENON_AGENT: '1', ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    return play(
      adapter,
      [
        ['stdout', stdout],
        ['stderr', stderr],
      ],
      { code: status ?? 1 },
      context,
    );
  };
  return { home, run };
}

describe('Tenon as a worker', () => {
  it('does a task offline, tells what it did, and goes on with its session', async () => {
    const { run } = workshop({ 'notes.txt': 'The code word is heron.\n' });
    const { events, outcome } = await run({ prompt: 'read the file notes.txt' });
    expect(outcome).toMatchObject({
      isDone: true,
      session: expect.stringMatching(/^[0-9a-f]{16}$/),
      text: expect.stringContaining('heron'),
    });
    expect(ofType(events, 'tool-start')).toMatchObject([{ name: 'read', input: { path: 'notes.txt' } }]);
    expect(ofType(events, 'tool-end')).toMatchObject([
      { name: 'read', isError: false, output: expect.stringContaining('heron') },
    ]);
    const session = outcome.session ?? '';
    const again = await run({ prompt: 'read the file notes.txt', session: { id: session, how: 'resume' } });
    expect(again.outcome).toMatchObject({ isDone: true, session });
  });

  it('fails with what to do next', async () => {
    const { run } = workshop();
    const fault = async (task: Partial<WorkerTask>, env = {}) => (await run(task, env)).outcome.error;
    expect(await fault({ session: { id: 'nope', how: 'resume' } })).toMatchObject({
      fault: 'session-unknown',
      message: expect.stringMatching(/There is no session "nope"\. See the sessions of this folder/),
    });
    expect(await fault({ prompt: 'write a poem about herons' })).toMatchObject({
      fault: 'login-needed',
      message: expect.stringContaining('tenon auth login'),
    });
    expect(await fault({ extraArgs: ['--frobnicate'] })).toMatchObject({ fault: 'bad-arguments' });
    expect(await fault({ model: 'anthropic/claude-sonnet-4-5' })).toMatchObject({
      fault: 'login-needed',
      message: expect.stringMatching(/There is no key for anthropic.*set ANTHROPIC_API_KEY/),
    });
    expect(await fault({ prompt: 'read the file missing.txt' })).toMatchObject({
      fault: 'other',
      message: expect.stringContaining('is not done'),
    });
  });

  it('is started as this very program, with a flag for every option', () => {
    const { args, env } = adapter.command({
      prompt: '-x',
      cwd: '/project',
      scratch: '/scratch',
      model: 'm',
      systemPrompt: 'Be brief.',
      schema: { type: 'object' },
      options: {
        thinking: 'high',
        tools: ['read', 'bash'],
        disallowedTools: ['WebFetch', 'Bash(git push:*)'],
        maxTurns: 3,
        maxBudgetUsd: 1,
        image: ['a.png'],
        extension: ['e.ts'],
        noExtensions: true,
        systemPrompt: 'You are X.',
        appendSystemPrompt: 'And kind.',
        continue: true,
        resume: 'r',
        fork: 'f',
        session: 's.jsonl',
        noSession: true,
        jsonSchema: '{}',
      },
    });
    expect(basename(args[0] ?? '')).toBe('main.js');
    expect(args.slice(1)).toEqual([
      ...['-p', '--mode', 'json', '--model', 'm', '--append-system-prompt', 'Be brief.\n\nAnd kind.'],
      ...['--json-schema', '{"type":"object"}', '--thinking', 'high', '--tools', 'read,bash'],
      ...['--disallowed-tools', 'WebFetch', '--disallowed-tools', 'Bash(git push:*)', '--max-turns', '3'],
      ...['--max-budget-usd', '1', '--image', 'a.png', '--extension', 'e.ts', '--no-extensions'],
      ...['--system-prompt', 'You are X.', '--continue', '--resume', 'r', '--fork', 'f', '--session', 's.jsonl'],
      ...['--no-session', '--json-schema', '{}', '--', '-x'],
    ]);
    expect(env).toMatchObject({ CLAUDECODE: undefined, GITHUB_TOKEN: undefined });
    const screen = adapter.interactive?.('s', { cwd: '/project', scratch: '/scratch' });
    expect(screen?.args.slice(1)).toEqual(['--resume', 's']);
  });

  it('has no option that a Tenon under an agent refuses', async () => {
    const { run } = workshop({ 'notes.txt': 'The code word is heron.\n' });
    const task = { prompt: 'read the file notes.txt', systemPrompt: 'Be brief.', folders: ['/exchange'], yolo: true };
    const options = {
      thinking: 'low',
      tools: ['read'],
      disallowedTools: ['WebFetch'],
      maxTurns: 5,
      noExtensions: true,
    };
    expect((await run({ ...task, options })).outcome).toMatchObject({
      isDone: true,
      text: expect.stringContaining('heron'),
    });
  });
});

describe('the home of a run of Tenon', () => {
  it('holds settings, login and sessions of the user, and nothing that Tenon keeps about runs and accounts', async () => {
    const base = temporaryFolder('tenon');
    putFiles(base, {
      'own/config/settings.json': '{}',
      'own/data/credentials.json': 'vault',
      'own/state/runs/runs.db': 'store',
      'own/state/accounts/a/claude/.credentials.json': 'login',
    });
    mkdirSync(join(base, 'scratch'));
    const prepared = await adapter.prepare?.({
      scratch: join(base, 'scratch'),
      env: { TENON_HOME: join(base, 'own') },
    });
    const home = prepared?.env['TENON_HOME'] ?? '';
    expect(home.startsWith(join(base, 'scratch'))).toBe(true);
    expect(readdirSync(home).toSorted()).toEqual(['config', 'data']);
    putFiles(home, { 'data/sessions/here/s1.jsonl': 'kept' });
    await prepared?.clean();
    expect(existsSync(home)).toBe(false);
    expect(readFileSync(join(base, 'own/data/sessions/here/s1.jsonl'), 'utf8')).toBe('kept');
    expect(existsSync(join(base, 'own/config/settings.json'))).toBe(true);
  });

  it('keeps calls that need approval from one process to the next, and what a person has answered', async () => {
    const { home, run } = workshop();
    const scratch = join(home.folder, 'scratch');
    const kept = join(home.folder, 'kept');
    mkdirSync(scratch);
    const push = async (answers: readonly { id: string; answer: string }[]) => {
      const prepared = await adapter.prepare?.({ scratch, env: home.environment({}), kept, answers });
      expect(prepared?.folders).toEqual([join(kept, 'approvals')]);
      const played = await run({ prompt: 'run `git push --force origin main`' }, prepared?.env);
      await prepared?.clean();
      const outputs = ofType(played.events, 'tool-end').map(({ output = '' }) => output);
      return { questions: played.outcome.questions, outputs: outputs.join('\n') };
    };
    const first = await push([]);
    expect(first.questions).toMatchObject([
      {
        text: expect.stringContaining('git push --force origin main'),
        options: expect.arrayContaining(['allow', 'deny']),
      },
    ]);
    const id = first.questions?.[0]?.id ?? '';
    expect(id).toMatch(/^approval-[0-9a-f]{8}$/);
    // The widest yes: where there is a sandbox, with the network.
    const yes = first.questions?.[0]?.options?.at(-2) ?? '';
    const second = await push([{ id, answer: yes }]);
    expect(second.questions).toBeUndefined();
    expect(second.outputs).not.toContain('refused by approval');
    // A yes holds once, and whatever is not a yes is a no.
    const third = await push([{ id, answer: yes }]);
    expect(third.questions?.[0]?.id).toMatch(/^approval-/);
    const fourth = await push([{ id: third.questions?.[0]?.id ?? '', answer: 'allow it for ever' }]);
    expect(fourth.outputs).toContain('A person has said no');
    expect(fourth.questions).toBeUndefined();
  });

  it('gives the sandbox no folder of Tenon to write to but that of sessions', () => {
    const written = adapter.spec.state.filter(({ access }) => access !== 'read').map(({ path }) => path);
    expect(written).toEqual(['$data/sessions']);
  });
});
