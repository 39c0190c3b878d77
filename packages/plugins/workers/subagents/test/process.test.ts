/** Subagents in a process of their own: the built program in the real sandbox, with a scripted model. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { type Model, NO_USAGE } from '@tenon/models/api';
import { chooseMechanism, sandboxes } from '@tenon/sandbox/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { isAlive } from '@tenon/test-kit/processes';
import { MAIN } from '@tenon/test-kit/program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { type ProcessHost, runInProcess, type SubagentQuestion } from '../src/process/api.ts';
import type { SubagentProgress, SubagentRun } from '../src/run-types.ts';

const PROTOCOL = 'openai-completions';
const { mechanism } = await chooseMechanism('auto');
const call = (name: string, args: object, id = 'call_1') => ({
  content: [{ type: 'toolCall' as const, id, name, arguments: args }],
});

function modelOf(fake: Pick<FakeModels, 'baseUrl'>): Model {
  return {
    provider: 'fake',
    id: 'm',
    name: 'M',
    api: PROTOCOL,
    baseUrl: fake.baseUrl(PROTOCOL),
    contextWindow: 200_000,
    maxTokens: 8_000,
    input: ['text'],
    reasoning: false,
  };
}

async function world(more: Partial<ProcessHost> = {}) {
  const base = temporaryFolder('process');
  const folders = separateFolders(base);
  mkdirSync(folders.cwd, { recursive: true });
  const kernel = await startKernel({ folders, plugins: ['sandbox', 'settings'] });
  later(() => endKernel(kernel));
  const fake = await startFakeModels();
  later(() => fake.close());
  const asked: string[] = [];
  const host: ProcessHost = {
    sandboxes: () => kernel.find(sandboxes),
    folders,
    keys: async (provider) => {
      asked.push(provider);
      return ['key-of-fake'];
    },
    program: [process.execPath, MAIN],
    env: { ...process.env, OTHER_API_KEY: 'sk-other-0123456789abcdef0123456789' },
    ...more,
  };
  const stop = new AbortController();
  const progress: SubagentProgress[] = [];
  const run = (changes: Partial<SubagentRun> = {}): SubagentRun => ({
    id: 'One',
    agent: 'stranger',
    parent: 'parent',
    cwd: folders.cwd,
    systemPrompt: 'You are a subagent.',
    prompt: 'Do the task.',
    model: modelOf(fake),
    thinking: 'off',
    tools: ['read', 'bash'],
    signal: stop.signal,
    progress: (one) => void progress.push(one),
    ...changes,
  });
  return { base, folders, fake, host, run, stop, progress, asked };
}

/** Processes whose command line has a word. */
function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
      } catch {
        return false; // It has ended meanwhile.
      }
    })
    .map(Number);
}

const isPossible = mechanism === 'bubblewrap' && existsSync(MAIN);

describe.skipIf(!isPossible)('a subagent in a process of its own', () => {
  test('works in the folder, hands over its result, and leaves its session and nothing else', async () => {
    const { base, folders, fake, host, run, progress, asked } = await world();
    mkdirSync(join(folders.cwd, 'src'));
    fake.reply(
      call('bash', { command: 'echo "$OTHER_API_KEY-" >src/made' }),
      call('yield', { result: { answer: 42 } }, 'call_2'),
    );
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const result = await runInProcess(host, run({ schema, sessionFile: join(base, 'session.jsonl') }));
    expect(result.error).toBeUndefined();
    expect(result).toMatchObject({ yielded: { data: { answer: 42 } }, toolCount: 1 });
    expect(result.usage.totalTokens).toBeGreaterThan(0);
    expect(readFileSync(join(folders.cwd, 'src/made'), 'utf8')).toBe('-\n');
    expect(progress.some(({ tool }) => tool === 'bash')).toBe(true);
    expect(asked).toEqual(['fake']);
    expect(fake.requests[0]?.headers['authorization']).toBe('Bearer key-of-fake');
    expect(JSON.stringify(fake.requests[0]?.body)).toContain('You are a subagent.');
    expect(readFileSync(join(base, 'session.jsonl'), 'utf8')).toContain('Do the task.');
    expect(readdirSync(join(folders.cache, 'subagents-homes'))).toEqual([]);
  });

  test('keeps its session in a folder that is made for it', async () => {
    const { base, fake, host, run } = await world();
    fake.reply(call('yield', { result: 'done' }));
    const sessionFile = join(base, 'sessions/one/agents/One.jsonl');
    const result = await runInProcess(host, run({ sessionFile }));
    expect(result).toMatchObject({ yielded: { data: 'done' } });
    expect(readFileSync(sessionFile, 'utf8')).toContain('Do the task.');
  });

  test('is told all of a long definition, which no list of processes shows', async () => {
    const { fake, host, run } = await world();
    fake.reply(call('yield', { result: 'done' }));
    const systemPrompt = `@You are a subagent.\n${'Take care. '.repeat(20_000)}\nThe last word.`;
    expect(await runInProcess(host, run({ systemPrompt }))).toMatchObject({ yielded: { data: 'done' } });
    const [first] = (fake.requests[0]?.body['messages'] ?? []) as { content: string }[];
    expect(first?.content).toMatch(/^@You are a subagent\.[^]*The last word\./);
  });

  test.each([
    ['a link to a file of the user', 'ln -s "$0" session.jsonl'],
    ['a pipe, which nobody ever writes to', 'mkfifo session.jsonl'],
    ['a folder', 'mkdir session.jsonl'],
  ])('cannot make its session %s', async (_, make) => {
    const { base, folders, host, run } = await world();
    const secret = join(base, 'secret');
    writeFileSync(secret, 'of the user alone');
    const sessionFile = join(base, 'kept.jsonl');
    const script = `cd "$TENON_HOME" && ${make}; exit 3`;
    const result = await runInProcess({ ...host, program: ['/bin/sh', '-c', script, secret] }, run({ sessionFile }));
    expect(result.error).toMatch(/ended with 3/);
    expect(existsSync(sessionFile)).toBe(false);
    expect(readdirSync(join(folders.cache, 'subagents-homes'))).toEqual([]);
  });

  test('asks the person who watches; even what that person allows stays in its folder and reaches only its model', async () => {
    const questions: SubagentQuestion[] = [];
    const { base, fake, host, run } = await world({
      ask: async (question) => {
        questions.push(question);
        return question.options?.[0];
      },
    });
    const outside = join(base, 'outside');
    const command = `echo x >${outside}; echo from-here; curl -sf -m 5 http://example.org && echo web-was-$((1 + 1))`;
    fake.reply(call('bash', { command }), call('yield', { result: 'done' }, 'call_2'));
    const result = await runInProcess(host, run());
    expect(result.yielded).toEqual({ data: 'done' });
    expect(questions[0]?.options?.length).toBeGreaterThan(1);
    expect(existsSync(outside)).toBe(false);
    const answer = JSON.stringify(fake.requests.at(-1)?.body);
    expect(answer).toContain('from-here');
    expect(answer).not.toContain('web-was-2');
  });

  test('is reminded of its result, and its last answer counts when it gives none', async () => {
    const { fake, host, run } = await world();
    fake.reply(
      ...Array.from({ length: 4 }, (_, at) => ({ content: [{ type: 'text' as const, text: `answer ${at}` }] })),
    );
    const result = await runInProcess(host, run());
    expect(result).toMatchObject({ answer: 'answer 3', toolCount: 0 });
    expect([result.yielded, fake.requests.length]).toEqual([undefined, 4]);
  });

  test('is told no where nobody can be asked', async () => {
    const { folders, fake, host, run } = await world();
    fake.reply(
      call('bash', { command: 'git push --force origin main' }),
      call('yield', { aborted: 'not allowed' }, 'call_2'),
    );
    mkdirSync(join(folders.cwd, '.git'), { recursive: true });
    const result = await runInProcess(host, run());
    expect(result.yielded).toEqual({ aborted: 'not allowed' });
  });

  test('is stopped with everything that it has started', async () => {
    const { fake, host, run, stop, progress } = await world();
    fake.reply(call('bash', { command: 'sleep 987.6531' }));
    const running = runInProcess(host, run());
    await until(
      () => progress.some(({ tool }) => tool === 'bash') && processesWith('987.6531').length > 0,
      'the command',
    );
    stop.abort();
    expect(await running).toMatchObject({ isStopped: true });
    await until(() => processesWith('987.6531').length === 0, 'the end of the command');
  });

  test('leaves nothing when the parent is killed', async () => {
    const { base, fake, folders, host, run } = await world();
    fake.reply(call('bash', { command: 'sleep 987.6532' }));
    const program = await buildProgram(join(import.meta.dirname, 'fixtures/process-parent.ts'), {
      plugins: ['sandbox', 'settings'],
    });
    writeFileSync(join(base, 'model.json'), JSON.stringify(modelOf(fake)));
    const parent = spawn(process.execPath, [program, base, MAIN], { stdio: ['ignore', 'inherit', 'inherit'] });
    later(() => void parent.kill('SIGKILL'));
    await until(() => processesWith('987.6532').length > 0, 'the command of the subagent', 60_000);
    const home = readdirSync(join(folders.cache, 'subagents-homes'))[0] ?? '';
    const children = processesWith(home);
    expect(children.length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await until(
      () => [...children, ...processesWith('987.6532')].every((pid) => !isAlive(pid)),
      'the end of all',
      30_000,
    );
    // The next one clears away what it left on disk.
    fake.reply(call('yield', { result: 'done' }, 'call_2'));
    expect((await runInProcess(host, run())).yielded).toEqual({ data: 'done' });
    expect(readdirSync(join(folders.cache, 'subagents-homes'))).toEqual([]);
  });
});

test('without a sandbox nothing is started, and the result says so', async () => {
  const { host, run } = await world({ sandboxes: async () => undefined, program: ['/nowhere/tenon'] });
  expect(await runInProcess(host, run())).toMatchObject({
    error: expect.stringContaining('no sandbox'),
    usage: NO_USAGE,
  });
});

test.skipIf(mechanism !== 'bubblewrap')('a process that cannot work is a result', async () => {
  const { host, run } = await world({ program: ['/bin/sh', '-c', 'echo broken >&2; exit 3'] });
  expect((await runInProcess(host, run())).error).toMatch(/ended with 3: broken/);
});
