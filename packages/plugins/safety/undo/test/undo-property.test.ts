import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { stateOf } from './tree-state.ts';
import { openBench } from './undo-bench.ts';

const numRuns = caseCount(60);
const timeout = patientLimit(60_000 + numRuns * 1_000);

/** Names that programs get wrong, as bytes; few, so that steps meet. */
const name = fc.constantFrom(
  ...[
    'a',
    'b',
    'c.txt',
    'dir',
    'nested',
    '-rf',
    'new\nline',
    'é',
    '😀',
    ' ',
    '$(x)',
    '.hidden',
    '.env',
    'ignored.log',
    'latin\xff',
  ],
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const content = fc.constantFrom('', 'x', 'one\ntwo\n', '\0binary\0', 'long '.repeat(2000));
const mode = fc.constantFrom(0o644, 0o755, 0o600, 0o444, 0o400, 0o666);
const folderMode = fc.constantFrom(0o755, 0o700, 0o555, 0o777);

type Step =
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'append'; readonly path: string; readonly content: string }
  | { readonly do: 'remove' | 'mkdir' | 'truncate'; readonly path: string }
  | { readonly do: 'move'; readonly path: string; readonly to: string }
  | { readonly do: 'chmod' | 'chmodFolder'; readonly path: string; readonly mode: number }
  | { readonly do: 'link'; readonly path: string; readonly to: string }
  | { readonly do: 'git'; readonly words: readonly string[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('append' as const), path, content }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'mkdir' as const, 'truncate' as const), path }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('chmod' as const), path, mode }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('chmodFolder' as const), path, mode: folderMode }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('link' as const),
      path,
      to: fc.constantFrom('a', '../outside', '../missing/place', 'nowhere', 'dir'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('git' as const),
      words: fc.constantFrom(
        ['clean', '-fdx'],
        ['checkout', '.'],
        ['reset', '--hard', '-q'],
        ['stash', '-u', '-q'],
        ['add', '-A'],
      ),
    }),
  },
);

const bytes = (root: string, relative: string) =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(relative, 'latin1')]);

/** Does one step; what cannot be done is left out, as a command would fail. */
function take(root: string, step: Step): void {
  if (step.do === 'git') {
    try {
      execFileSync('git', step.words, { cwd: root, stdio: 'ignore' });
    } catch {
      // Nothing to stash, nothing to check out.
    }
    return;
  }
  // Moving or removing a whole repository takes its `.git` along, which is never put back: the guide says so.
  if (step.path === 'nested' && ['move', 'remove', 'chmodFolder'].includes(step.do)) return;
  const at = bytes(root, step.path);
  try {
    if (step.do === 'remove')
      rmSync(at.toString('latin1') === at.toString('utf8') ? at.toString() : at, { recursive: true, force: true });
    else {
      mkdirSync(bytes(root, dirname(step.path) === '.' ? '' : dirname(step.path)), { recursive: true });
      if (step.do === 'write') writeFileSync(at, step.content, 'latin1');
      if (step.do === 'append') writeFileSync(at, step.content, { flag: 'a' });
      if (step.do === 'truncate') writeFileSync(at, '');
      if (step.do === 'mkdir') mkdirSync(at, { recursive: true });
      if (step.do === 'move') renameSync(at, bytes(root, step.to));
      if (step.do === 'link') symlinkSync(step.to, at);
      if (step.do === 'chmod' && lstatSync(at).isFile()) chmodSync(at, step.mode);
      if (step.do === 'chmodFolder' && lstatSync(at).isDirectory()) chmodSync(at, step.mode);
    }
  } catch {
    // A file where a folder would have to be, a name that is taken: this step does nothing.
  }
}

const calls = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });

describe(`undo of random calls (seed ${COMMON_SEED}, ${numRuns} runs)`, () => {
  it('gives bytes, modes and links of before, and an undo of it gives the state back', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), calls, fc.boolean(), async (start, made, isRepository) => {
        const { root, call, undo, home } = openBench();
        writeFileSync(join(home, 'outside'), 'untouched');
        if (isRepository) {
          execFileSync('git', ['init', '-q'], { cwd: root });
          writeFileSync(join(root, '.gitignore'), '*.log\n.env\n');
          execFileSync(
            'git',
            ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x'],
            { cwd: root },
          );
        }
        // A repository in the workspace: its files count, its `.git` does not.
        execFileSync('git', ['init', '-q', join(root, 'nested')]);
        writeFileSync(join(root, 'nested', 'a'), 'inside');
        for (const one of start) take(root, one);
        const states = [stateOf(root)];
        const gits: unknown[] = [];
        for (const steps of made) {
          await call(() => steps.forEach((one) => take(root, one)));
          states.push(stateOf(root));
        }
        // Steps write through links too; undo must not.
        const outside = readFileSync(join(home, 'outside'), 'utf8');
        const changing = (await undo.list({ cwd: root })).length;
        gits.push(isRepository && stateOf(join(root, '.git'), { git: true }));
        if (changing === 0) return;
        const outcome = await undo.restore({ cwd: root, count: changing });
        expect(outcome.held).toEqual([]);
        expect(stateOf(root), JSON.stringify(made)).toEqual(states[0]);
        if (outcome.id !== undefined) {
          const back = await undo.restore({ cwd: root, redo: true });
          expect(back.held).toEqual([]);
          expect(stateOf(root)).toEqual(states.at(-1));
        }
        gits.push(isRepository && stateOf(join(root, '.git'), { git: true }));
        expect(gits[1]).toEqual(gits[0]);
        expect(readFileSync(join(home, 'outside'), 'utf8')).toBe(outside);
        rmSync(home, { recursive: true, force: true });
      }),
      { numRuns, endOnFailure: false },
    );
  });
});
