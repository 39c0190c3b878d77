/** Programs that start what the configuration of their folder names, in folders outside of the workspace. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support.ts';
import { understandingOf } from './understanding.ts';

const home = makeHome();
const elsewhere = join(home.folders.home, 'elsewhere');
afterAll(() => home.remove());

const MADE_BY_GIT =
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote "origin"]\n\turl = https://a.example/b\n';

function repository(name: string, config: string, more: Readonly<Record<string, string>> = {}): string {
  const folder = join(elsewhere, name);
  const files = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': config, 'src/a.ts': '', ...more };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const understood = (command: string) => understandingOf(command, home.world);

describe('git in a repository outside of the workspace', () => {
  it('is proven where the repository names nothing that runs', async () => {
    const plain = repository('plain', MADE_BY_GIT, { '.git/hooks/pre-commit.sample': '' });
    expect(await understood(`git -C ${plain} status`)).toBe(0);
    expect(await understood(`cd ${plain}/src && git log -1`)).toBe(0);
  });

  it('is not proven where its configuration, its hooks or a file that it includes could run something', async () => {
    for (const [at, config] of [
      '[core]\n\tfsmonitor = ./x\n',
      '[CORE]\n\tFsMonitor = ./x\n',
      '[core] fsmonitor = ./x\n',
      '[core]\n\tbare = false \\\n\n\tfsmonitor = ./x\n',
      '[include]\n\tpath = ../x\n',
      '[includeIf "gitdir:/"]\n\tpath = ../x\n',
      '[diff "x"]\n\ttextconv = ./x\n',
      '[filter "x"]\n\tclean = ./x\n',
      '[extensions]\n\tworktreeConfig = true\n',
      '[remote "a"]\n\tuploadpack = ./x\n',
    ].entries()) {
      const folder = repository(`config-${at}`, MADE_BY_GIT + config);
      expect([config, await understood(`git -C ${folder} status`)]).toEqual([config, 'unclear']);
    }
    const hooked = repository('hooked', MADE_BY_GIT, { '.git/hooks/post-index-change': '#!/bin/sh\n' });
    expect(await understood(`git -C ${hooked} status`)).toBe('unclear');
    expect(await understood(`pushd ${hooked}/src; git diff`)).toBe('unclear');
  });

  it('follows the file of a worktree, and takes a folder that looks like a repository for one', async () => {
    const evil = repository('evil', `${MADE_BY_GIT}[core]\n\tfsmonitor = ./x\n`, {
      '.git/worktrees/w/HEAD': '',
      '.git/worktrees/w/commondir': '../..\n',
    });
    const worktree = join(elsewhere, 'worktree');
    mkdirSync(worktree, { recursive: true });
    writeFileSync(join(worktree, '.git'), `gitdir: ${evil}/.git/worktrees/w\n`);
    expect(await understood(`git -C ${worktree} status`)).toBe('unclear');
    const bare = repository('holder', MADE_BY_GIT, {
      'bare/HEAD': '',
      'bare/objects/x': '',
      'bare/config': '[core]\n\tpager = ./x\n',
    });
    expect(await understood(`cd ${bare}/bare && git status`)).toBe('unclear');
  });

  it('is not proven where it holds another repository, whose configuration git uses too', async () => {
    const outer = join(elsewhere, 'outer');
    const inner = join(outer, 'inner');
    const git = (cwd: string, ...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], { cwd, stdio: 'pipe' });
    mkdirSync(inner, { recursive: true });
    for (const folder of [outer, inner]) git(folder, 'init', '-q', '--template=');
    git(inner, 'commit', '-q', '--allow-empty', '-m', 'one');
    expect(await understood(`git -C ${outer} status`)).toBe(0);
    git(outer, '-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
    git(inner, 'config', 'core.fsmonitor', `touch ${outer}/ran; false`);
    git(outer, 'status');
    expect(existsSync(join(outer, 'ran'))).toBe(true);
    expect(await understood(`git -C ${outer} status`)).toBe('unclear');
  });

  it('is understood where the command has made the repository, and not where it may have brought or changed one', async () => {
    const plain = repository('also-plain', MADE_BY_GIT);
    const fresh = join(elsewhere, 'fresh');
    mkdirSync(fresh, { recursive: true });
    for (const [command, expected] of [
      [`cd ${fresh} && git init -q -b main && touch a && git add a && git commit -m one && git log`, 2],
      [`git init ${fresh}/b && git -C ${fresh}/b status`, 2],
      [`touch ${plain}/a && git -C ${plain} status`, 2],
      [`cd ${fresh} && git init --template=${elsewhere}/evil && git status`, 'unclear'],
      [`cd ${fresh} && touch a && git status`, 'unclear'],
      [`cp -r ${elsewhere}/a ${plain}/b && cd ${plain}/b && git status`, 'unclear'],
      [`mv ${elsewhere}/a ${plain}/b && git -C ${plain}/b status`, 'unclear'],
      [`tar -xf a.tar -C ${plain} && git -C ${plain} status`, 'unclear'],
      [`cd ${fresh} && tar -xf ../a.tar && git init && git status`, 'unclear'],
    ] as const)
      expect([command, await understood(command)]).toEqual([command, expected]);
  });

  it('is not known to be harmless where no repository is yet', async () => {
    const folder = join(elsewhere, 'none');
    mkdirSync(folder, { recursive: true });
    expect(await understood(`git -C ${folder} status`)).toBe('unclear');
    expect(await understood('git status')).toBe(0);
  });
});

describe('programs that the configuration of their folder replaces', () => {
  it.each([
    'yarn --version',
    'yarn why react',
    'pnpm ls',
    'cargo --version',
    'cargo tree',
    'composer validate',
    'uv pip list',
    'poetry show',
    'python -m unittest',
    'python3 -m json.tool x.json',
    'prettier --check .',
  ])('are proven in the workspace and not elsewhere: %s', async (command) => {
    const folder = join(elsewhere, 'project');
    mkdirSync(folder, { recursive: true });
    expect([0, 1]).toContain(await understood(command));
    expect(await understood(`cd ${folder} && ${command}`)).toBe('unclear');
  });
});
