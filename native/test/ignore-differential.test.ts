/** Both implementations beside the real git: every path of generated trees must be ignored by all or by none. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import fc from 'fast-check';
import ignore from 'ignore';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { implementations } from '../src/index.ts';
import { STAT_BYTES } from '../src/scan/contract.ts';
import type { Scan } from '../src/scan/contract.ts';
import { configWorld, plantConfig } from './ignore-configs.ts';
import { type Bytes, bytes, ignoreWorld, makeRepository, plantWorld, put } from './ignore-worlds.ts';
import { newFolder } from './scan-trees.ts';

const available = await implementations('scan');
const version = spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout?.trim().replace('version ', '');
const numRuns = caseCount(150);
const timeout = patientLimit(240_000 + numRuns * 1_000);

/** The paths of a tree with what a walk says about them: true when ignored. */
async function verdicts(scan: Scan, top: string): Promise<{ paths: Map<Bytes, boolean>; problems: number }> {
  const tree = await scan.statTree({ path: top, without: ['.git'], smallFolder: 100_000, generated: [], except: [] });
  const paths = tree.paths.toString('latin1').split('\0').slice(0, -1);
  const isIgnored = (index: number): boolean => tree.stats.readUInt32LE(index * STAT_BYTES + 36) === 1;
  return { paths: new Map(paths.map((path, index) => [path, isIgnored(index)])), problems: tree.problemCount };
}

/** The same paths as git sees them; nothing when git refuses to work here. */
function gitVerdicts(top: string, paths: Iterable<Bytes>): Map<Bytes, boolean> | undefined {
  const all = [...paths];
  const answer = spawnSync('git', ['-C', top, 'check-ignore', '--no-index', '-z', '--stdin'], {
    input: bytes(all.map((path) => `./${path}\0`).join('')),
  });
  if (answer.status === 128) return undefined;
  const ignored = new Set(answer.stdout.toString('latin1').split('\0'));
  return new Map(all.map((path) => [path, ignored.has(`./${path}`)]));
}

describe.skipIf(!version).each(available)(
  `$kind ignore rules beside git (seed ${COMMON_SEED})`,
  ({ kind, implementation }) => {
    let world = '';
    let [top, home] = ['', ''];
    const count = { cases: 0, same: 0, refused: 0, different: 0 };

    beforeEach(() => {
      world = newFolder();
      home = `${world}/home`;
      vi.stubEnv('HOME', home);
      vi.stubEnv('XDG_CONFIG_HOME', undefined);
      vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      rmSync(world, { recursive: true, force: true });
    });
    afterAll(() => {
      recordConformance({ suite: `ignore rules, ${kind}`, oracle: version ?? '', ...count });
    });

    /** A folder for the next case; the one before is gone. */
    const begin = (): void => {
      rmSync(world, { recursive: true, force: true });
      top = `${world}/repository`;
      mkdirSync(top, { recursive: true });
      mkdirSync(home, { recursive: true });
    };

    /** Compares the walk with git below one repository; other repositories below it are left to their own comparison. */
    const compare = async (repository: string, hint: unknown, others: readonly string[] = []): Promise<void> => {
      const { paths, problems } = await verdicts(implementation, repository);
      for (const path of paths.keys()) {
        if (others.some((other) => `${repository}/${path}`.startsWith(`${other}/`))) paths.delete(path);
      }
      const expected = gitVerdicts(repository, paths.keys());
      count.cases += 1;
      if (expected === undefined) {
        count.refused += 1;
        expect(problems, `git refuses, so a problem is told: ${JSON.stringify(hint)}`).toBeGreaterThan(0);
        return;
      }
      const differing = [...expected].filter(([path, isIgnored]) => paths.get(path) !== isIgnored);
      if (differing.length > 0) count.different += 1;
      else count.same += 1;
      expect(differing, `[path, ignored by git]: ${JSON.stringify(hint)}`).toEqual([]);
    };

    it('hide exactly what git ignores', { timeout }, async () => {
      await fc.assert(
        fc.asyncProperty(ignoreWorld, async (planted) => {
          begin();
          plantWorld(planted, top, home);
          await compare(top, { ...planted, gitignores: [...planted.gitignores] });
          const listed = spawnSync('git', ['-C', top, 'ls-files', '-o', '-z', '--exclude-standard']);
          const { matches } = await implementation.glob({ path: top, pattern: '**', hidden: true, nodeModules: true });
          const links = await implementation.glob({ path: top, pattern: '**', kind: 'symlink', hidden: true });
          const shown = [...matches, ...links.matches].map(({ path }) => path).sort();
          const expected = listed.stdout.toString('utf8').split('\0').slice(0, -1).sort();
          expect(shown).toEqual(expected);
        }),
        { numRuns, endOnFailure: true },
      );
    });

    it('take the excludes file and the case of letters from the configuration that git uses', { timeout }, async () => {
      await fc.assert(
        fc.asyncProperty(configWorld, async (planted) => {
          begin();
          plantConfig(planted, top, home);
          await compare(top, planted);
        }),
        { numRuns, endOnFailure: true },
      );
    });

    it(
      'start over in a nested repository and in a work tree, and not at a .git that is none',
      { timeout },
      async () => {
        const rules = ['a', 'b/', '/c', '!a', '*.log', 'x/y', 'inner/a'];
        const some = fc.subarray(rules).map((lines) => `${lines.join('\n')}\n`);
        const marks = fc.constantFrom('repository', 'work tree', 'empty folder', 'empty file', 'broken link');
        await fc.assert(
          fc.asyncProperty(some, some, some, marks, fc.boolean(), async (outer, inner, exclude, mark, fold) => {
            begin();
            const nested = `${top}/sub/inner`;
            makeRepository(top);
            put(`${top}/.git/info/exclude`, exclude);
            put(`${top}/.gitignore`, outer);
            put(`${nested}/.gitignore`, inner);
            for (const path of ['a', 'A', 'b/x', 'c', 'q.log', 'x/y', 'd/a', 'd/c']) {
              put(`${top}/${path}`, '');
              put(`${nested}/${path}`, '');
            }
            const main = `${world}/main`;
            if (mark === 'repository') makeRepository(nested, `[core]\nignoreCase = ${fold}\nexcludesFile = d/a\n`);
            if (mark === 'empty folder') mkdirSync(`${nested}/.git`);
            if (mark === 'work tree') {
              makeRepository(main, '[core]\nrepositoryformatversion=1\n[extensions]\nworktreeConfig = true\n');
              put(`${main}/.git/info/exclude`, 'a\n');
              put(`${main}/.git/worktrees/w/HEAD`, 'ref: refs/heads/other\n');
              put(`${main}/.git/worktrees/w/commondir`, '../..\n');
              put(`${main}/.git/worktrees/w/gitdir`, `${nested}/.git\n`);
              put(`${main}/.git/worktrees/w/config.worktree`, `[core]\nignorecase=${fold}\nexcludesFile=c\n`);
              put(`${nested}/.git`, `gitdir: ${main}/.git/worktrees/w\n`);
            }
            put(`${nested}/d/a`, '*.log\n');
            put(`${nested}/c`, '*.log\n');
            const isOwn = mark === 'repository' || mark === 'work tree';
            await compare(top, { outer, inner, exclude, mark }, isOwn ? [nested] : []);
            if (isOwn) await compare(nested, { outer, inner, exclude, mark, fold });
          }),
          { numRuns: Math.ceil(numRuns / 4), endOnFailure: true },
        );
      },
    );

    it('agree with the npm package ignore about plain rules', { timeout }, async () => {
      const name = fc.constantFrom('a', 'b', 'foo', 'bar', 'a.log', 'foo.c', 'build');
      const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
      const part = fc.oneof(name, fc.constantFrom('*', '*.log', 'f*', '?', '**', '[ab]'));
      const rule = fc
        .tuple(
          fc.constantFrom('', '', '!', '/', '# ', '**/'),
          fc.array(part, { minLength: 1, maxLength: 3 }),
          fc.constantFrom('', '', '/', '/**', ' '),
        )
        .map(([front, parts, back]) => `${front}${parts.join('/')}${back}`);
      await fc.assert(
        fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 8 }), fc.array(rule), async (paths, rules) => {
          begin();
          makeRepository(top);
          for (const each of paths) put(`${top}/${each}`, '');
          put(`${top}/.gitignore`, rules.join('\n'));
          const library = ignore().add(rules);
          const { paths: walked } = await verdicts(implementation, top);
          for (const [each, isIgnored] of walked) {
            const isFolder = statSync(`${top}/${each}`).isDirectory();
            expect([each, rules, isIgnored]).toEqual([each, rules, library.ignores(isFolder ? `${each}/` : each)]);
          }
        }),
        { numRuns, endOnFailure: true },
      );
    });

    it('agree about every byte in every class, with and without case', { timeout }, async () => {
      begin();
      const names = Array.from({ length: 255 }, (_, code) => String.fromCharCode(code + 1)).filter(
        (byte) => !'./'.includes(byte),
      );
      for (const byte of names) put(`${top}/${byte}`, '');
      const classes = [
        'alnum',
        'alpha',
        'blank',
        'cntrl',
        'digit',
        'graph',
        'lower',
        'print',
        'punct',
        'space',
        'upper',
        'xdigit',
      ];
      const sets = [
        ...classes.map((name) => `[[:${name}:]]`),
        '[!a-z]',
        '[A-Z]',
        '[\\x-\\z]',
        '[]-a]',
        '?',
        '\\A',
        '[A]',
        'A',
        '[^A-B]',
      ];
      for (const fold of [false, true]) {
        makeRepository(top, `[core]\nignorecase=${fold}\n`);
        for (const set of sets) {
          put(`${top}/.gitignore`, `${set}\n`);
          await compare(top, { set, fold });
        }
      }
    });
  },
);
