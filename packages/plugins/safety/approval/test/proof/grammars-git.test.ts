import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlagSpec, Grammar } from '../../src/proof/grammar.ts';
import { builtInGrammar } from '../../src/proof/grammars.ts';
import { loudOnes, othersThan, quietOnes, quoted, readCommands, understandingOf } from './understanding.ts';
import { WORLD } from '../support.ts';

const { everyday, risky } = readCommands('version-control');

describe('the grammars of version control', () => {
  it('prove what developers do every day', async () => {
    expect(await loudOnes(everyday)).toEqual([]);
  });

  it('never prove what reaches out, loses work, runs other programs or touches other places', async () => {
    expect(await quietOnes(risky)).toEqual([]);
  });

  it('take no value of a flag for a subcommand', async () => {
    expect(
      await quietOnes(`
      git --shallow-file status clean -fdx
      git -C status clean -fdx
      git --namespace status push --force
      git -c status clean -fdx
      gh --repo list pr merge
    `),
    ).toEqual([]);
  });

  it('call what only looks tier 0, also when a dry run stands between dangerous flags', async () => {
    expect(
      await othersThan(
        0,
        `
      git clean -nfdx
      git clean -n -f -d -x
      git clean -fdx --dry-run
      git rm -rn src
      git add --dry-run .
      git log --oneline -20
      git config --get user.name
      git branch --merged
      git stash list
    `,
      ),
    ).toEqual([]);
  });

  it('know how bad known danger is', async () => {
    expect(
      await othersThan(
        3,
        `
      git push --force
      git push origin +main
      git push origin :main
      git push --delete origin main
      git push --mirror
      git reset --hard
      git clean -fdx
      git stash drop
      git stash clear
      git reflog expire --expire=now --all
      git gc --prune=now
      git update-ref -d refs/heads/main
      git worktree remove --force ../x
    `,
      ),
    ).toEqual([]);
    expect(
      await othersThan(
        2,
        `
      git push
      git push --dry-run
      git fetch --all
      git pull --rebase
      git branch -D x
      git restore .
      git restore --staged --worktree a
      git checkout .
      git checkout HEAD a
      git remote set-url origin x
      git config --global user.name x
      git config core.hooksPath x
    `,
      ),
    ).toEqual([]);
  });
});

/** All grammars of git's subcommands without effect. */
function readingGrammars(grammar: Grammar): readonly Grammar[] {
  const inner = [...new Set(grammar.subcommands?.values() ?? [])];
  return inner.flatMap((own) => (own.subcommands ? readingGrammars(own) : own.tier === 0 ? [own] : []));
}

const git = builtInGrammar('git') as Grammar;
const WORDS = ['HEAD', 'main', 'a.txt', 'src', '.', 'HEAD~1', 'v1', '*.txt', 'x'];

/** A flag of a grammar as somebody would write it. */
function flagOf(own: Grammar): fc.Arbitrary<readonly string[]> {
  const flags = [...own.flags];
  if (flags.length === 0) return fc.constant([]);
  return fc
    .tuple(fc.constantFrom(...flags), fc.constantFrom(...WORDS, '1', 'short', 'cat'), fc.boolean())
    .map(([[name, flag], value, attached]) => written(name, flag, value, attached));
}

function written(name: string, flag: FlagSpec, value: string, attached: boolean): readonly string[] {
  if (flag.value === undefined) return [name];
  const word = Array.isArray(flag.value) ? String(flag.value[0]) : value;
  if (flag.isOptional) return [attached ? `${name}${name.startsWith('--') ? '=' : ''}${word}` : name];
  return attached && name.startsWith('--') ? [`${name}=${word}`] : [name, word];
}

describe('what the grammar of git proves to be tier 0', () => {
  const folder = temporaryFolder('git-canary');
  const ran = join(folder, 'ran');
  const script = `#!/bin/sh\necho "$0 $*" >> '${ran}'\n/bin/cat\n`;
  const repository = join(folder, 'project');
  const environment = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C.UTF-8',
    GIT_PAGER: 'pager-of-somebody',
    GIT_EDITOR: 'editor-of-somebody',
    GIT_SSH_COMMAND: 'ssh-of-somebody',
  };
  const names = [
    'pager-of-somebody',
    'editor-of-somebody',
    'ssh-of-somebody',
    'gpg',
    'less',
    'ssh',
    'cat',
    'HEAD',
    'main',
    'x',
    'vi',
    'man',
    'gitk',
  ];
  putFiles(folder, {
    ...Object.fromEntries(names.map((name) => [`bin/${name}`, script])),
    'project/a.txt': 'one\ntwo\n',
    'project/src/b.txt': 'three\n',
  });
  for (const name of names) chmodSync(join(folder, 'bin', name), 0o755);
  const run = (args: readonly string[]) =>
    spawnSync('git', args, { cwd: repository, env: environment, input: '', encoding: 'utf8', timeout: 10_000 });
  run(['init', '-q', '-b', 'main']);
  run(['config', 'user.name', 'Somebody']);
  run(['config', 'user.email', 'somebody@example.com']);
  for (const message of ['first', 'second']) {
    putFiles(folder, { 'project/a.txt': `${message}\n` });
    run(['add', '-A']);
    run(['commit', '-qm', message]);
  }
  run(['tag', 'v1']);
  putFiles(folder, { 'project/a.txt': 'changed\n', 'project/untracked.txt': 'new\n' });

  /** Everything that must stay as it is; the index may be refreshed, and objects may be added. */
  function stateOf(place: string, path = ''): string {
    return readdirSync(join(place, path))
      .filter((name) => !/^(index|objects|ORIG_HEAD|logs|ran)$/.test(name))
      .toSorted()
      .map((name) => {
        const inner = join(path, name);
        return statSync(join(place, inner)).isDirectory()
          ? stateOf(place, inner)
          : `${inner}: ${readFileSync(join(place, inner), 'utf8')}`;
      })
      .join('\n');
  }

  it('changes no file, runs no program and leaves no process, whichever flags are put together', async () => {
    const before = stateOf(folder);
    const reading = readingGrammars(git);
    expect(reading.length).toBeGreaterThan(30);
    const calls = fc
      .constantFrom(...reading)
      .chain((own) =>
        fc
          .tuple(fc.array(flagOf(own), { maxLength: 3 }), fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }))
          .map(([flags, operands]) => [...own.path.slice(1), ...flags.flat(), ...operands]),
      );
    let proven = 0;
    await fc.assert(
      fc.asyncProperty(calls, async (args) => {
        const world = { ...WORLD, workspace: repository, home: folder };
        if ((await understandingOf(`git ${args.map(quoted).join(' ')}`, world)) !== 0) return;
        proven++;
        run(args);
        expect({ args, state: stateOf(folder) }).toEqual({ args, state: before });
      }),
      { numRuns: caseCount(150) },
    );
    expect(proven).toBeGreaterThan(20);
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
  });
});

describe('a flag that git does not list', () => {
  const everydayOnes = everyday
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^git [a-z-]+( [\w./=~^@{}:-]+)*$/.test(line));

  it('makes a command not understood, wherever it stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...everydayOnes),
        fc.constantFrom(
          '--upload-pack=x',
          '--exec=x',
          '--ext-diff',
          '--textconv',
          '--output-nowhere',
          '--exec-path=x',
          '--git-dir=x',
          '--outpu=x',
          '--forc',
          '--pathspec-from-file=x',
          '--config-env=a=b',
          '-Z',
        ),
        fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
        async (line, flag, place) => {
          const words = line.split(' ');
          const at = Math.min(place, words.length);
          // Behind another flag it could be that flag's value, and behind `--` it is a file.
          if (words.slice(0, at).includes('--') || (at > 2 && words[at - 1]?.startsWith('-'))) return;
          const command = [...words.slice(0, at), flag, ...words.slice(at)].join(' ');
          // `git bisect run npm test --x` and submodule commands are judged as what they run.
          if (/bisect run|foreach/.test(command)) return;
          expect([command, await understandingOf(command)]).not.toEqual([command, 0]);
          expect([command, await understandingOf(command)]).not.toEqual([command, 1]);
        },
      ),
      { numRuns: caseCount(200) },
    );
  });
});
