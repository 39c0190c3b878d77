/** Random repositories, random changes of several subagents: nothing is lost, whatever is merged. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { putFiles } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Changes } from '../src/isolation/api.ts';
import { filesOf, gitIn, parentRepository } from './isolation-world.ts';

const PATHS = ['a.txt', 'b.bin', 'dir/c.txt', 'dir/deep/d.txt', 'e', 'ünïcode name.txt'];
const path = fc.constantFrom(...PATHS);
const content = fc.oneof(
  fc
    .array(fc.constantFrom('one\n', 'two\n', 'three\r\n', 'x'), { maxLength: 12 })
    .map((parts) => Buffer.from(parts.join(''))),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
);

/** One thing that somebody does to a file. */
type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly content: Buffer }
  | { readonly kind: 'remove' | 'mode'; readonly path: string };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), path, content }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'mode' as const), path }),
);
const edits = fc.array(edit, { maxLength: 4 });

function perform(folder: string, list: readonly Edit[]): void {
  for (const one of list) {
    const file = join(folder, one.path);
    if (one.kind === 'write') {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, one.content);
    } else if (one.kind === 'remove') rmSync(file, { force: true });
    else if (existsSync(file)) chmodSync(file, 0o755);
  }
}

/** What a list of edits did to each path that it changed. */
function changedBy(before: Record<string, string>, after: Record<string, string>): Map<string, string | undefined> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return new Map(names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}

/** A file as the kept work has it: the patch or branch put on what the subagent began with. */
function keptFiles(
  cwd: string,
  begun: string,
  kept: string,
  how: 'patch' | 'branch',
  scratch: string,
): Record<string, string> {
  gitIn(cwd, 'worktree', 'add', '-q', '--detach', scratch, how === 'branch' ? kept : begun);
  try {
    if (how === 'patch') gitIn(scratch, 'apply', '--whitespace=nowarn', kept);
    return filesOf(scratch);
  } finally {
    gitIn(cwd, 'worktree', 'remove', '--force', scratch);
  }
}

test.each(['patch', 'branch'] as const)('merged and kept changes are together all changes, as %s', async (how) => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(path, content, { maxKeys: 5 }),
      edits,
      fc.array(edits, { minLength: 1, maxLength: 3 }),
      edits,
      async (start, dirty, children, later) => {
        const { base, cwd, git, open, merge } = parentRepository({ 'always.txt': 'always\n' });
        putFiles(cwd, start);
        git('add', '-A');
        git('commit', '-q', '--allow-empty', '-m', 'more');
        perform(cwd, dirty);
        // What the subagents begin with, as a commit that only this test has.
        const begunFiles = filesOf(cwd);
        const index = { ...process.env, GIT_INDEX_FILE: join(base, 'index') };
        const begun = await commitOf(cwd, index);
        const all: Record<string, Changes> = {};
        const wanted: Record<string, Map<string, string | undefined>> = {};
        for (const [at, child] of children.entries()) {
          const workspace = await open(`t${at}`);
          expect(filesOf(workspace.cwd)).toEqual(begunFiles);
          perform(workspace.cwd, child);
          wanted[`t${at}`] = changedBy(begunFiles, filesOf(workspace.cwd));
          all[`t${at}`] = await workspace.collect();
          await workspace.dispose();
        }
        perform(cwd, later);
        const mine = filesOf(cwd);
        const staged = git('diff', '--cached', '--raw');
        const outcomes = await merge(all, how);
        const end = filesOf(cwd);
        expect(git('diff', '--cached', '--raw')).toBe(staged);
        const touched = new Map<string, Set<string | undefined>>();
        for (const { id, status, kept } of outcomes) {
          const changes = wanted[id] ?? new Map();
          if (status === 'empty') expect(changes.size).toBe(0);
          else if (status === 'merged')
            for (const [name, value] of changes) touched.set(name, new Set([...(touched.get(name) ?? []), value]));
          else {
            expect(status).toBe('conflict');
            const files = keptFiles(cwd, begun, kept ?? '', how, join(base, 'scratch'));
            for (const [name, value] of changes) expect(files[name]).toBe(value);
          }
        }
        // What nobody changed is as the user left it; what one alone changed is as that one left it.
        for (const name of new Set([...Object.keys(mine), ...Object.keys(end), ...touched.keys()])) {
          const values = touched.get(name);
          if (!values) expect(end[name]).toBe(mine[name]);
          else if (mine[name] === begunFiles[name] && values.size === 1) expect(values.has(end[name])).toBe(true);
          else if (mine[name] !== begunFiles[name] && how === 'branch') expect(end[name]).toBe(mine[name]);
        }
      },
    ),
    { numRuns: caseCount(12) },
  );
});

async function commitOf(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { execFileSync } = await import('node:child_process');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd,
      env,
      encoding: 'utf8',
    }).trim();
  git('read-tree', 'HEAD');
  git('add', '-A');
  return git('commit-tree', git('write-tree'), '-m', 'begun');
}

test('the kept patch is readable by its owner alone', async () => {
  const { cwd, open, merge } = parentRepository();
  const workspace = await open('one');
  putFiles(workspace.cwd, { 'a.txt': 'A\n' });
  const changes = await workspace.collect();
  putFiles(cwd, { 'a.txt': 'mine\n' });
  const [outcome] = await merge({ one: changes });
  const { mode } = await import('node:fs').then(({ statSync }) => statSync(outcome?.kept ?? ''));
  expect(mode & 0o077).toBe(0);
  expect(readFileSync(outcome?.kept ?? '', 'utf8')).toContain('+A');
});
