import { chmodSync, existsSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { type Model, modelRegistry, type ModelRequest } from '@tenon/models/api';
import { createProvider } from '@tenon/providers/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { endKernel, foldersIn, startKernel } from '@tenon/test-kit/kernel';
import { later, putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

const PROTOCOL = 'anthropic-messages';

beforeEach(() => {
  // The user's own git configuration is not part of the test.
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  vi.stubEnv('GIT_CONFIG_SYSTEM', '/dev/null');
  for (const who of ['AUTHOR', 'COMMITTER']) {
    vi.stubEnv(`GIT_${who}_NAME`, 'Test');
    vi.stubEnv(`GIT_${who}_EMAIL`, 'test@example.org');
  }
  return () => vi.unstubAllEnvs();
});

interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  /** What the model answers, one after the other; none for rules. */
  readonly answers?: readonly (object | string)[];
  readonly contextWindow?: number;
}

/** A real repository, and a model behind a real connection. */
async function start({ files = { 'a.txt': 'one\n' }, answers, contextWindow = 100_000 }: Setup = {}) {
  const folder = join(temporaryFolder('commit'), 'repository');
  const git = gitRepository(folder, files);
  const fake: FakeModels = await startFakeModels();
  later(() => fake.close());
  fake.reply(
    ...(answers ?? []).map((answer) => ({
      content: [{ type: 'text' as const, text: typeof answer === 'string' ? answer : JSON.stringify(answer) }],
    })),
  );
  const model: Model = {
    provider: 'test',
    id: 'm',
    name: 'M',
    api: PROTOCOL,
    baseUrl: fake.baseUrl(PROTOCOL),
    contextWindow,
    maxTokens: 1_000,
    input: ['text'],
    reasoning: false,
    ...(answers === undefined && { isRules: true }),
  };
  const provider = createProvider(PROTOCOL, { stallMs: 10_000 });
  const home = temporaryFolder('commit-home');
  const kernel = await startKernel({
    folders: foldersIn(home, folder),
    plugins: ['settings', 'tools', 'sessions', 'agent', 'urls', 'doctor', 'secrets', 'command-line', 'commit'],
    services: [
      [
        modelRegistry,
        {
          stream: (request: ModelRequest, call: { signal: AbortSignal }) =>
            provider.stream({ ...request, apiKey: 'key' }, call),
          find: async () => ({ model }),
          forRole: async () => ({ model }),
          list: async () => [],
        },
      ],
    ],
  });
  later(() => endKernel(kernel));
  const run = (flags: Record<string, string | boolean> = {}, io = {}) =>
    runCommand(kernel, 'commit', { flags, cwd: folder, io });
  const log = () => git('log', '--format=%s', '--reverse').trim().split('\n').slice(1);
  const sent = () => fake.requests.map(({ body }) => JSON.stringify(body));
  const put = (named: Readonly<Record<string, string>>) => putFiles(folder, named);
  return { folder, git, run, log, sent, put, fake };
}

const message = (subject: string, more = {}) => ({ type: 'feat', subject, ...more });

describe('tenon commit', () => {
  it('keeps the plugin contract', () => pluginContract({ source, plugin }));

  it('commits exactly what is staged, with the message of the model', async () => {
    const { git, run, put, log, sent, folder } = await start({
      files: { 'a.txt': 'one\n', 'b.txt': 'one\n' },
      answers: [{ single: message('count to two', { scope: 'core', body: 'Because one is not enough.' }) }],
    });
    put({ 'a.txt': 'one\ntwo\n', 'b.txt': 'changed\n', 'new.txt': 'new\n' });
    git('add', 'a.txt');
    put({ 'a.txt': 'one\ntwo\nnot staged\n' });
    const { out } = await run();
    expect(out).toMatch(/^[0-9a-f]{7} feat\(core\): count to two \(1 file\)\n$/);
    expect(git('log', '-1', '--format=%B').trim()).toBe('feat(core): count to two\n\nBecause one is not enough.');
    expect(log()).toEqual(['feat(core): count to two']);
    expect(git('show', 'HEAD:a.txt')).toBe('one\ntwo\n');
    expect(git('status', '--porcelain')).toBe(' M a.txt\n M b.txt\n?? new.txt\n');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toContain('not staged');
    expect(sent()[0]).toContain('+two');
    expect(sent()[0]).not.toContain('not staged');
  });

  it('says what to do when nothing is staged, or there is no repository', async () => {
    const { run, put, git } = await start();
    await expect(run()).rejects.toMatchObject({
      code: 'COMMIT_NOTHING_STAGED',
      next: expect.stringContaining('nothing to commit') as string,
    });
    put({ 'a.txt': 'two\n', 'new.txt': 'x' });
    await expect(run()).rejects.toMatchObject({
      message: 'Nothing is staged. (1 tracked file changed, 1 file not tracked.)',
      next: expect.stringContaining('tenon commit --all') as string,
    });
    git('checkout', '-q', 'a.txt');
    await expect(run()).rejects.toMatchObject({ next: 'Stage new files with `git add FILE`.' });
    rmSync(join(git('rev-parse', '--show-toplevel').trim(), '.git'), { recursive: true });
    await expect(run()).rejects.toMatchObject({ code: 'COMMIT_NO_REPOSITORY' });
  });

  it('changes nothing with --dry-run, also with --all', async () => {
    const { git, run, put } = await start({ answers: [{ single: message('change it') }] });
    put({ 'a.txt': 'two\n', 'new.txt': 'x' });
    const before = git('status', '--porcelain');
    const { out } = await run({ all: true, 'dry-run': true });
    expect(out).toContain('feat: change it');
    expect(git('status', '--porcelain')).toBe(before);
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('1');
  });

  it('takes changes of tracked files with --all, and no new files', async () => {
    const { git, run, put, log } = await start({
      files: { 'a.txt': 'one\n', 'b.txt': 'one\n' },
      answers: [{ single: message('change it') }],
    });
    put({ 'a.txt': 'two\n', 'new.txt': 'x' });
    unlinkSync(join(git('rev-parse', '--show-toplevel').trim(), 'b.txt'));
    await run({ all: true });
    expect(log()).toEqual(['feat: change it']);
    expect(git('status', '--porcelain')).toBe('?? new.txt\n');
    expect(git('ls-files').trim()).toBe('a.txt');
  });

  const two = {
    single: message('do both'),
    commits: [
      { message: message('move the parser', { type: 'refactor' }), files: ['src/new.ts', 'nowhere.ts'] },
      { message: message('tell about it', { type: 'docs' }), files: ['docs.md', 'src/new.ts'] },
    ],
  };
  const stageTwo = async (answers: readonly object[] = [two]) => {
    const world = await start({ files: { 'src/old.ts': 'line\n'.repeat(20), 'gone.txt': 'x\n' }, answers });
    world.git('mv', 'src/old.ts', 'src/new.ts');
    world.git('rm', '-q', 'gone.txt');
    world.put({ 'docs.md': 'words\n' });
    world.git('add', 'docs.md');
    world.put({ 'docs.md': 'words\nnot staged\n' });
    return world;
  };

  it('makes several commits with --yes: every file once, the index and the files untouched beside', async () => {
    const { git, run, log } = await stageTwo();
    const { out } = await run({ yes: true });
    expect(log()).toEqual(['refactor: move the parser', 'docs: tell about it']);
    expect(git('show', '--name-status', '--format=', 'HEAD~1').trim()).toBe('R100\tsrc/old.ts\tsrc/new.ts');
    expect(git('show', '--name-status', '--format=', 'HEAD').trim()).toBe('A\tdocs.md\nD\tgone.txt');
    expect(git('status', '--porcelain')).toBe(' M docs.md\n');
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  it('asks before it splits, makes one commit if that is wanted, and none after a no', async () => {
    const asked: string[] = [];
    const person = (answer: string) => ({ interactive: true, ask: async (text: string) => (asked.push(text), answer) });
    const declined = await stageTwo();
    await expect(declined.run({}, person('no'))).rejects.toMatchObject({ code: 'COMMIT_DECLINED' });
    expect([declined.log(), asked]).toEqual([[], ['Commit? (split/one/no) ']]);
    const one = await stageTwo();
    await one.run({}, person('one'));
    expect(one.log()).toEqual(['feat: do both']);
    const split = await stageTwo();
    await split.run({}, person('split'));
    expect(split.log()).toHaveLength(2);
  });

  it('makes one commit where nobody can be asked, and says what it would have proposed', async () => {
    const { run, log } = await stageTwo();
    const { err } = await run();
    expect(err).toContain('--yes makes the 2 commits');
    expect(log()).toEqual(['feat: do both']);
  });

  it('leaves everything staged as it was when a hook refuses, and shows what the hook says', async () => {
    const { run, git, log, folder } = await stageTwo();
    const hook = join(folder, '.git/hooks/commit-msg');
    writeFileSync(hook, '#!/bin/sh\nif grep -q "^docs" "$1"; then echo "no docs today" >&2; exit 1; fi\n');
    chmodSync(hook, 0o755);
    const before = git('diff', '--cached', '--name-status', '--no-renames', '--', 'docs.md', 'gone.txt');
    const { written, failure } = await run({ yes: true }).then(
      () => ({ written: '', failure: undefined }),
      (fault: Error) => ({ written: fault.message, failure: fault }),
    );
    expect(failure).toMatchObject({ code: 'COMMIT_REFUSED' });
    expect(written).toContain('no docs today');
    expect(log()).toEqual(['refactor: move the parser']);
    expect(git('diff', '--cached', '--name-status', '--no-renames')).toBe(before);
  });

  it('splits the very first commit of a repository', async () => {
    const { git, run, folder } = await stageTwo([
      {
        single: message('all'),
        commits: [
          { message: message('first'), files: ['a.txt'] },
          { message: message('second'), files: ['b.txt'] },
        ],
      },
    ]);
    rmSync(join(folder, '.git'), { recursive: true });
    git('init', '-q', '-b', 'main');
    putFiles(folder, { 'a.txt': 'a', 'b.txt': 'b' });
    git('add', 'a.txt', 'b.txt');
    await run({ yes: true });
    expect(git('log', '--format=%s', '--name-only').trim().split(/\n+/)).toEqual([
      'feat: second',
      'b.txt',
      'feat: first',
      'a.txt',
    ]);
  });

  it('refuses secrets with the place, before a model sees anything', async () => {
    const { git, run, put, log, fake } = await start({ answers: [{ single: message('x') }] });
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB';
    put({ 'config.ts': `// one\nconst token = '${secret}';\n` });
    git('add', 'config.ts');
    const fault = (await run({ yes: true }).catch((caught: unknown) => caught)) as Error;
    expect(fault).toMatchObject({ code: 'COMMIT_SECRET' });
    expect(fault.message).toContain('config.ts:2:');
    expect(fault.message).not.toContain(secret);
    expect([log(), fake.requests]).toEqual([[], []]);
  });

  it('asks once more when the answer cannot be used, and fails with the reason after that', async () => {
    const good = await start({ answers: ['I think it is fine.', { single: message('change it') }] });
    good.put({ 'a.txt': 'two\n' });
    await good.run({ all: true });
    expect(good.log()).toEqual(['feat: change it']);
    expect(good.sent()[1]).toContain('Your last answer could not be used');
    const bad = await start({
      answers: [{ single: message('x', { type: 'wonder' }) }, { single: message('y'.repeat(90)) }],
    });
    bad.put({ 'a.txt': 'two\n' });
    await expect(bad.run({ all: true })).rejects.toMatchObject({
      code: 'COMMIT_MODEL',
      message: expect.stringContaining('more than 72') as string,
    });
    expect(bad.git('status', '--porcelain')).toBe(' M a.txt\n');
  });

  it('keeps long differences within a budget and names the files that are cut', async () => {
    const { run, put, git, sent } = await start({ answers: [{ single: message('grow') }], contextWindow: 6_000 });
    put({
      'big.txt': 'a line of a long file\n'.repeat(5_000),
      'small.ts': 'export function tiny() {}\n',
      'package-lock.json': '{"x": 1}\n',
    });
    git('add', '-A');
    await run();
    const [request = ''] = sent();
    expect(request.length).toBeLessThan(16_000);
    expect(request).toContain('export function tiny');
    expect(request).toContain('only a part is shown: package-lock.json, big.txt.');
    expect(request).toContain('big.txt (added, +5000 -0)');
  });

  it('writes a message by rules without a model, and says so', async () => {
    const { run, put, git, log } = await start();
    put({ 'src/parser/read.ts': 'export function readLine() {}\n' });
    git('add', '-A');
    const { err, out } = await run({ offline: true });
    expect(err).toContain('Fixed rules made this');
    expect(out).toContain('feat(parser): add readLine in read.ts');
    put({ 'docs/x.md': 'x' });
    git('add', '-A');
    expect((await run()).err).toContain('No model is set up');
    put({ 'docs/y.md': 'y' });
    git('add', '-A');
    const named = await run({ model: 'offline/rules' });
    expect(named.err).not.toContain('No model is set up');
    expect(log()).toEqual(['feat(parser): add readLine in read.ts', 'docs: add x.md', 'docs: add y.md']);
  });

  it('gives programs one JSON value', async () => {
    const { run, git } = await stageTwo();
    const dry = JSON.parse((await run({ 'dry-run': true, json: true })).out) as object;
    expect(dry).toMatchObject({
      dryRun: true,
      by: 'model',
      model: 'test/m',
      single: { type: 'feat', text: 'feat: do both\n' },
      split: [{ files: ['src/new.ts'] }, { files: ['docs.md', 'gone.txt'] }],
      commits: [],
    });
    const made = JSON.parse((await run({ offline: true, json: true })).out) as { commits: { hash: string }[] };
    expect(made).toMatchObject({ by: 'rules', dryRun: false });
    expect(made.commits[0]?.hash).toBe(git('rev-parse', 'HEAD').trim());
  });

  it('writes an entry into the changelog when somebody agrees, without other changes of that file', async () => {
    const before = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- An old thing.\n\n## [1.0.0]\n\n- First.\n';
    const answers = [{ single: message('count to two', { changelog: 'It counts to two.' }) }];
    const { run, put, git, folder } = await start({ files: { 'a.txt': 'one\n', 'CHANGELOG.md': before }, answers });
    put({ 'a.txt': 'two\n', 'CHANGELOG.md': `${before}\nA draft.\n` });
    git('add', 'a.txt');
    await run({ yes: true });
    const expected = before.replace('- An old thing.\n', '- An old thing.\n- It counts to two.\n');
    expect(git('show', 'HEAD:CHANGELOG.md')).toBe(expected);
    expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toBe(`${expected}\nA draft.\n`);
    expect(git('show', '--name-only', '--format=').trim()).toBe('CHANGELOG.md\na.txt');
  });

  it('leaves the changelog alone where nobody agreed, and takes the entry back when the commit fails', async () => {
    const log = '# Changelog\n\n## Unreleased\n\n* Old.\n';
    const answers = [{ single: message('x', { changelog: 'New.' }) }];
    const unasked = await start({ files: { 'a.txt': 'one\n', 'CHANGELOG.md': log }, answers });
    unasked.put({ 'a.txt': 'two\n' });
    await unasked.run({ all: true });
    expect(unasked.git('show', 'HEAD:CHANGELOG.md')).toBe(log);
    const failing = await start({ files: { 'a.txt': 'one\n', 'CHANGELOG.md': log }, answers });
    const hook = join(failing.folder, '.git/hooks/pre-commit');
    writeFileSync(hook, '#!/bin/sh\ngit show :CHANGELOG.md > .git/seen\nexit 1\n');
    chmodSync(hook, 0o755);
    failing.put({ 'a.txt': 'two\n' });
    failing.git('add', 'a.txt');
    await expect(failing.run({ yes: true })).rejects.toMatchObject({ code: 'COMMIT_REFUSED' });
    expect(readFileSync(join(failing.folder, '.git/seen'), 'utf8')).toBe(log.replace('* Old.\n', '* Old.\n* New.\n'));
    expect(failing.git('status', '--porcelain')).toBe('M  a.txt\n');
    expect(existsSync(join(failing.folder, 'CHANGELOG.md'))).toBe(true);
  });
});

describe('repositories in the repository', () => {
  /** A repository that a sandboxed agent has made and staged, with everything that git would run. */
  async function planted() {
    const { folder, git, run, put, log } = await start({ files: { 'a.txt': 'one\n' } });
    const mark = join(folder, '../was-run');
    const inner = join(folder, 'inner');
    const inInner = gitRepository(inner, { '.gitattributes': '* filter=evil\n', 'x.txt': 'x\n' });
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
    git('commit', '-qm', 'inner');
    inInner('config', 'filter.evil.clean', `touch ${mark}; cat`);
    inInner('config', 'core.fsmonitor', `touch ${mark}; false`);
    writeFileSync(join(inner, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    // The agent asks for it, in a file that is not protected.
    put({ '.gitmodules': '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n' });
    git('add', '.gitmodules');
    git('commit', '-qm', 'modules');
    writeFileSync(join(inner, 'x.txt'), 'changed\n');
    rmSync(mark, { force: true });
    return { folder, git, run, put, log, mark, inner, inInner };
  }

  it('run nothing of theirs with --all', async () => {
    const { run, put, mark, git } = await planted();
    put({ 'a.txt': 'two\n' });
    await run({ all: true, yes: true });
    expect(existsSync(mark)).toBe(false);
    expect(git('show', '--name-only', '--format=', 'HEAD').trim()).toBe('a.txt');
  });

  it('run nothing of theirs when nothing is staged', async () => {
    const { run, mark } = await planted();
    await expect(run({})).rejects.toMatchObject({ code: 'COMMIT_NOTHING_STAGED' });
    expect(existsSync(mark)).toBe(false);
  });

  it('are committed at the commit that they are at, and when they are gone', async () => {
    const { run, git, inner, inInner } = await planted();
    for (const name of ['filter.evil.clean', 'core.fsmonitor']) inInner('config', '--unset', name);
    rmSync(join(inner, '.git/hooks/post-index-change'));
    inInner('commit', '-qam', 'more');
    await run({ all: true, yes: true });
    expect(git('rev-parse', 'HEAD:inner')).toBe(inInner('rev-parse', 'HEAD'));
    rmSync(inner, { recursive: true });
    await run({ all: true, yes: true });
    expect(git('ls-tree', '--name-only', 'HEAD').trim().split('\n')).toEqual(['.gitmodules', 'a.txt']);
  });
});
