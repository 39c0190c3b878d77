/** git with nothing of a repository's own programs in force; the real git. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { gitReason, repositoriesInIndex, runGit, withoutFilters } from '../src/index.ts';

let folder: string;
let mark: string;
let git: ReturnType<typeof gitRepository>;

beforeEach(() => {
  const base = temporaryFolder('run-git');
  folder = join(base, 'shop');
  mark = join(base, 'was-run');
  git = gitRepository(folder, { 'a.txt': 'a\n', '.gitattributes': '*.f filter=evil\n', 'x.f': 'x\n' });
  return () => vi.unstubAllEnvs();
});

describe('git', () => {
  test('answers with bytes and text, and every failure is an answer', async () => {
    writeFileSync(join(folder, 'b.bin'), new Uint8Array([255, 0, 10]));
    const { out } = await runGit(folder, ['hash-object', '-w', 'b.bin']);
    expect((await runGit(folder, ['cat-file', 'blob', out.trim()])).bytes).toEqual(Buffer.from([255, 0, 10]));
    const failed = await runGit(folder, ['rev-parse', '--verify', 'nowhere']);
    expect([failed.code, failed.fault, gitReason(failed)]).toEqual([128, undefined, 'Needed a single revision']);
    expect(await runGit(join(folder, 'gone'), ['status'])).toMatchObject({ code: -1, fault: 'not-started' });
    vi.stubEnv('PATH', '/nowhere');
    expect(await runGit(folder, ['status'])).toMatchObject({ code: -1, fault: 'missing' });
  });

  test('reads its input, and stops by signal and by size', async () => {
    expect((await runGit(folder, ['hash-object', '--stdin'], { input: 'a\n' })).out.trim()).toBe(
      git('rev-parse', 'HEAD:a.txt').trim(),
    );
    expect(await runGit(folder, ['log'], { maxBytes: 10 })).toMatchObject({ code: -1, fault: 'too-long' });
    expect(await runGit(folder, ['log'], { signal: AbortSignal.abort() })).toMatchObject({ fault: 'stopped' });
    const stop = new AbortController();
    const running = runGit(folder, ['-c', 'alias.wait=!sleep 60.4321', 'wait'], { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    expect(await running).toMatchObject({ code: -1, fault: 'stopped' });
  });

  test('runs no hook, no monitor and no way to a server, unless hooks are asked for', async () => {
    const hook = join(folder, '.git/hooks/post-commit');
    mkdirSync(join(folder, '.git/hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    git('config', 'core.fsmonitor', `touch ${mark}; false`);
    git('config', 'user.name', 'T');
    git('config', 'user.email', 't@example.org');
    git('config', 'protocol.ext.allow', 'always');
    await runGit(folder, ['status']);
    await runGit(folder, ['commit', '--allow-empty', '-m', 'one']);
    const fetched = await runGit(folder, ['fetch', `ext::sh -c touch% ${mark}`]);
    expect(fetched.err).toContain("transport 'ext' not allowed");
    expect(existsSync(mark)).toBe(false);
    await runGit(folder, ['commit', '--allow-empty', '-m', 'two'], { hooks: true });
    expect(existsSync(mark)).toBe(true);
  });

  test('stays in its folder, whatever a hook of git that started Tenon has set', async () => {
    const other = join(temporaryFolder('other'), 'other');
    gitRepository(other);
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_WORK_TREE', other);
    const top = async (keepPlace: boolean) =>
      (await runGit(folder, ['rev-parse', '--show-toplevel'], { keepPlace })).out.trim();
    expect([await top(false), await top(true)]).toEqual([folder, other]);
  });

  test('takes settings whose names have signs in them, beside those of the environment', async () => {
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'mine.here');
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'kept');
    const ask = async (name: string) =>
      (await runGit(folder, ['config', '--get', name], { settings: [['filter.a=b.clean', 'off']] })).out.trim();
    expect([await ask('filter.a=b.clean'), await ask('mine.here')]).toEqual(['off', 'kept']);
  });
});

test('filters of a repository can be turned off, whatever they are called', async () => {
  git('config', 'filter.evil.clean', `touch ${mark}; cat`);
  git('config', 'filter.evil.required', 'true');
  git('config', 'filter.a=b.process', `touch ${mark}`);
  const settings = (await withoutFilters(folder)) ?? [];
  expect(settings.map(([name]) => name).sort()).toEqual([
    'filter.a=b.process',
    'filter.a=b.required',
    'filter.evil.clean',
    'filter.evil.required',
  ]);
  writeFileSync(join(folder, 'x.f'), 'changed\n');
  expect((await runGit(folder, ['status', '--porcelain'], { settings })).out).toBe(' M x.f\n');
  expect((await runGit(folder, ['add', 'x.f'], { settings })).code).toBe(0);
  expect(existsSync(mark)).toBe(false);
  expect(await withoutFilters(join(folder, '..'))).toEqual([]);
});

test('repositories in the index are found by their paths from the top', async () => {
  gitRepository(join(folder, 'lib/inner'));
  execFileSync('git', ['add', 'lib'], { cwd: folder, stdio: 'ignore' });
  expect(await repositoriesInIndex(join(folder, 'lib'))).toEqual(['lib/inner']);
  expect(await repositoriesInIndex(join(folder, '..'))).toBeUndefined();
});
