import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { capabilityIssues } from '../src/capabilities/issues.ts';
import type { CustomSettings } from '../src/custom/check.ts';
import { customAdapter } from '../src/custom/custom-adapter.ts';
import { ofType, play, playRecording } from './playing.ts';

const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };
const plain: CustomSettings = { program: 'mine', args: ['run', '--message', '{prompt}'] };

describe('a CLI that settings describe', () => {
  it('needs no more than its program and its words', async () => {
    const adapter = await customAdapter('mine', plain);
    expect(adapter.command(task)).toMatchObject({ program: 'mine', args: ['run', '--message', 'write fake.txt'] });
    expect(adapter.spec).toMatchObject({ id: 'mine', name: 'mine', vendor: 'mine', versionArgs: ['--version'] });
    expect(adapter.interactive).toBeUndefined();
    const { outcome } = await play(adapter, [['stdout', 'Done.\n']], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, text: 'Done.' });
  });

  it('may have flags, sessions and a screen of its own', async () => {
    const adapter = await customAdapter('mine', {
      ...plain,
      args: ['run', '{flags}', '--', '{prompt}'],
      resumeArgs: ['resume', '--id={session}', '{flags}', '{prompt}'],
      interactiveArgs: ['--id', '{session}', '--in', '{cwd}'],
      modelFlag: '--model',
      systemPromptFlag: '--system',
      folderFlag: '--dir',
      mcpFlag: '--mcp',
      session: 'session: (\\S+)',
      banners: ['^v\\d'],
      errors: ['^fatal:'],
      env: { A: '1' },
      dropEnv: ['B'],
    });
    expect(capabilityIssues(adapter)).toEqual([]);
    const { args, env } = adapter.command({
      ...task,
      model: 'm',
      systemPrompt: 's',
      folders: ['/e'],
      extraArgs: ['-v'],
    });
    expect(args).toEqual(['run', '--model', 'm', '--system', 's', '--dir', '/e', '-v', '--', 'write fake.txt']);
    expect(env).toMatchObject({ A: '1', B: undefined, GH_TOKEN: undefined });
    expect(adapter.command({ ...task, session: { id: 'x', how: 'resume' } }).args).toEqual([
      'resume',
      '--id=x',
      'write fake.txt',
    ]);
    expect(adapter.interactive?.('x', task).args).toEqual(['--id', 'x', '--in', '/project']);
    const { events, outcome } = await play(adapter, [['stdout', 'v1\nsession: s-1\nfatal: 401 Unauthorized\n']], {
      code: 0,
    });
    expect(outcome).toMatchObject({ session: 's-1', isDone: false, error: { fault: 'auth' } });
    expect(
      ofType(events, 'text')
        .map(({ text }) => text)
        .join(''),
    ).not.toContain('v1');
  });

  it('may write JSON lines, or speak as another worker', async () => {
    const json = await customAdapter('mine', { ...plain, output: 'json-lines' });
    const line = '{"session_id":"s","type":"result","text":"Yes.","usage":{"input_tokens":1,"output_tokens":2}}\n';
    expect((await play(json, [['stdout', line]], { code: 0 })).outcome).toMatchObject({
      isDone: true,
      session: 's',
      text: 'Yes.',
      usage: { input: 1, output: 2 },
    });
    const fork = await customAdapter('my-opencode', { ...plain, output: 'opencode' });
    expect(fork.spec.capabilities).toMatchObject({ output: 'events', usage: 'run', cost: true });
    expect((await playRecording(fork, 'opencode', 'success')).outcome).toMatchObject({
      isDone: true,
      text: 'All done: fake.txt written.',
    });
  });

  it('takes no task for a flag, and a long one as a file', async () => {
    const adapter = await customAdapter('mine', { program: 'mine', args: ['{model}', '{prompt}'] });
    expect(adapter.command({ ...task, prompt: '-x' }).args).toEqual([' -x']);
    const { args, files } = adapter.command({ ...task, prompt: 'x'.repeat(200_000) });
    expect(args[0]).toContain('/scratch/task.md');
    expect(files?.[0]?.text).toHaveLength(200_000);
    // What stands in the task is no place to fill in.
    expect(adapter.command({ ...task, prompt: 'a {cwd} b' }).args).toEqual(['a {cwd} b']);
  });

  it.each<[string, Partial<CustomSettings>, RegExp]>([
    ['args', { args: ['run'] }, /holds \{prompt\}/],
    ['args', { args: ['{promt}'] }, /Did you mean "prompt"/],
    ['output', { output: 'claud' }, /Did you mean "claude"/],
    ['resumeArgs', { resumeArgs: ['{prompt}'], session: '(x)' }, /holds \{session\}/],
    ['resumeArgs', { resumeArgs: ['{session}', '{prompt}'] }, /need `session`/],
    ['interactiveArgs', { interactiveArgs: ['{session}'] }, /need resumeArgs/],
    ['session', { session: 'no group' }, /no group/],
    ['session', { session: '(' }, /Invalid regular expression/],
    ['errors', { errors: ['('] }, /Invalid regular expression/],
    ['banners', { output: 'claude', banners: ['x'] }, /has its own/],
    ['program', { program: ' ' }, /empty/],
  ])('whose %s is wrong gets an error that names the key', async (key, change, reason) => {
    const making = customAdapter('mine', { ...plain, ...change });
    await expect(making).rejects.toMatchObject({
      code: 'WORKERS_CUSTOM',
      message: expect.stringContaining(`workers.custom.mine.${key} `),
    });
    await expect(making).rejects.toThrow(reason);
  });

  it('has a name that can be part of file names', async () => {
    await expect(customAdapter('../x', plain)).rejects.toMatchObject({ code: 'WORKERS_CUSTOM_NAME' });
  });
});
