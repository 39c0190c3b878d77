/** Workflows in the built program: every example runs offline, a kill in the middle loses nothing, a person answers. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCheckout } from '@tenon/test-kit/plugins';
import { Home } from '@tenon/test-kit/program';
import { processesWith } from '@tenon/test-kit/processes';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly stop?: string;
  readonly steps: readonly {
    readonly step: string;
    readonly state: string;
    readonly reason?: string;
    readonly output?: Record<string, unknown>;
  }[];
}

let home: Home;
beforeEach(() => {
  home = new Home();
  gitRepository(home.work, { 'a.txt': 'old a\n', 'b.txt': 'old b\nTODO: say more\n' });
});
afterEach(async () => {
  // The process that keeps runs ends by itself when none is active.
  await until(() => processesWith(home.folder).length === 0);
  home.remove();
});

const example = (name: string) => inCheckout('examples', 'workflows', name);

function run(words: readonly string[]): { readonly code: number | null; readonly shown: Shown } {
  const { code, out, err } = home.tenon(['workflow', ...words, '--json']);
  if (out === '') throw new Error(err);
  return { code, shown: JSON.parse(out) as Shown };
}

const outputOf = ({ steps }: Shown, name: string) => steps.find(({ step }) => step === name)?.output;

describe('every example runs without a key', () => {
  test('review: three angles at the same time, put together', () => {
    const { code, shown } = run(['run', example('review.yml')]);
    expect([code, shown.state]).toEqual([0, 'done']);
    expect(String(outputOf(shown, 'summary')?.['output'])).toContain('b.txt');
  });

  test('migrate: files in parallel worktrees, merged', () => {
    const { code, shown } = run(['run', example('migrate.yml')]);
    expect([code, shown.state]).toEqual([0, 'done']);
    expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('new a\n');
    expect(readFileSync(join(home.work, 'b.txt'), 'utf8')).toContain('new b');
    expect(outputOf(shown, 'merge')).toMatchObject({ merged: [{ files: ['a.txt'] }, { files: ['b.txt'] }], left: [] });
  });

  test.each(['triage.yml', 'fix-until-green.yml', 'compare.yml'])('%s', (name) => {
    const { code, shown } = run(['run', example(name)]);
    expect([
      name,
      code,
      shown.state,
      shown.steps.filter(({ state }) => state === 'failed' && name !== 'compare.yml'),
    ]).toEqual([name, 0, 'done', []]);
  });

  test('fix-until-green: what fails is fixed in a worktree, checked there, and taken over', () => {
    const words = ['-i', 'test=! grep -q old a.txt', '-i', 'task=replace "old" with "new" in a.txt'];
    const { code, shown } = run(['run', example('fix-until-green.yml'), ...words]);
    expect([code, shown.state]).toEqual([0, 'done']);
    expect(shown.steps.find(({ step }) => step === 'first')?.state).toBe('failed');
    expect(outputOf(shown, 'take')).toMatchObject({ merged: [{ files: ['a.txt'] }] });
    expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('new a\n');
  });

  test('release: waits for a person without a process, and goes on with the answer', () => {
    const begun = run(['run', example('release.yml'), '--input', 'version=1.2.3']);
    expect([begun.code, begun.shown.stop]).toEqual([3, 'waiting']);
    const { id } = begun.shown;
    expect(home.tenon(['workflow', 'show', id]).out).toContain(`tenon workflow answer ${id} approve yes`);
    expect(home.tenon(['workflow', 'answer', id, 'aprove', 'yes']).err).toContain('Did you mean "approve"');
    const { code, shown } = run(['answer', id, 'approve', 'yes']);
    expect([code, outputOf(shown, 'tag')]).toMatchObject([0, { output: 'would tag v1.2.3' }]);
    expect(home.tenon(['workflow', 'continue', id]).code).not.toBe(0);
    expect(home.tenon(['workflow', 'retry', id]).err).toContain('has failed');
    expect(gitIn(home.work, 'status', '--porcelain')).toBe('');
  });
});

test('killed in the middle, it goes on where it was, and what was finished does not run again', async () => {
  home.put(
    'work/flow.yml',
    JSON.stringify({
      name: 'kill me',
      nodes: [
        { id: 'one', command: 'echo one >>log' },
        { id: 'two', needs: ['one'], command: 'echo two${TENON_INTERRUPTED:+ again} >>log; [ -e go ] || sleep 600' },
        { id: 'three', needs: ['two'], command: 'echo three >>log' },
      ],
    }),
  );
  const log = () => {
    try {
      return readFileSync(join(home.work, 'log'), 'utf8').trim().split('\n');
    } catch {
      return []; // Not begun.
    }
  };
  const child = home.start(['workflow', 'run', 'flow.yml'], { stdio: 'ignore', env: home.environment() });
  await until(() => log().includes('two'));
  const [listed] = (JSON.parse(home.tenon(['workflow', 'list', '--json']).out) as { workflows: Shown[] }).workflows;
  const id = listed?.id ?? '';
  expect(home.tenon(['workflow', 'continue', id]).err).toContain('Another process works on workflow');
  child.kill('SIGKILL');
  await until(() => child.signalCode !== null);
  home.put('work/go', '');
  const { code, shown } = run(['continue', id]);
  expect([code, shown.state]).toEqual([0, 'done']);
  expect(log()).toEqual(['one', 'two', 'two again', 'three']);
});

test('a command is in the sandbox, without keys, and what a value holds is text in any quotes', () => {
  const outside = join(home.folder, 'outside');
  home.put(
    'work/flow.yml',
    JSON.stringify({
      name: 'confined',
      nodes: [
        { id: 'write', command: `echo bad >${outside}`, mayFail: true },
        { id: 'keys', command: 'env | grep -c sk-secret', mayFail: true },
        { id: 'quotes', each: ['$(touch bad)', "'; touch bad; '"], command: `echo "{{item}}" '{{item}}' {{item}}` },
      ],
    }),
  );
  const { code, out } = home.tenon(['workflow', 'run', 'flow.yml', '--json'], {
    env: { SHOP_API_KEY: 'sk-secret-0123456789abcdef0123' },
  });
  const shown = JSON.parse(out) as Shown;
  expect([code, existsSync(outside), existsSync(join(home.work, 'bad'))]).toEqual([0, false, false]);
  expect(shown.steps.find(({ step }) => step === 'keys')).toMatchObject({ state: 'failed' });
  expect(outputOf(shown, 'quotes[0]')).toEqual({ output: Array(3).fill('$(touch bad)').join(' '), code: 0 });
  home.put('work/doc.yml', 'name: x\nnodes:\n  - id: a\n    each: [1]\n    command: "cat <<END\\n{{item}}\\nEND"\n');
  expect(home.tenon(['workflow', 'run', 'doc.yml']).err).toContain('where sh could read its value as a command');
});

test('a definition that changed while it waited: the old one counts, or the new one where nothing that has run differs', () => {
  const nodes = [
    { id: 'a', command: 'echo 1' },
    { id: 'gate', needs: ['a'], approve: 'Go?' },
    { id: 'b', needs: ['gate'], command: 'echo old' },
  ];
  const put = (changed: readonly object[]) => home.put('work/flow.yml', JSON.stringify({ name: 'x', nodes: changed }));
  put(nodes);
  const first = run(['run', 'flow.yml']).shown.id;
  put([{ id: 'a', command: 'echo 2' }, ...nodes.slice(1)]);
  expect(home.tenon(['workflow', 'continue', first, '--take-changes']).err).toContain('already finished or run: a');
  put([...nodes.slice(0, 2), { id: 'b', needs: ['gate'], command: 'echo new' }]);
  expect(outputOf(run(['answer', first, 'gate', 'yes']).shown, 'b')).toMatchObject({ output: 'old' });
  put(nodes);
  const second = run(['run', 'flow.yml']).shown.id;
  put([...nodes.slice(0, 2), { id: 'b', needs: ['gate'], command: 'echo new' }]);
  expect(run(['continue', second, '--take-changes']).shown.stop).toBe('waiting');
  expect(outputOf(run(['answer', second, 'gate', 'yes']).shown, 'b')).toMatchObject({ output: 'new' });
});

test('a definition in TypeScript is evaluated once; what it gave is what goes on, whatever its file says later', () => {
  const { code, shown } = run(['run', example('checks.ts')]);
  expect([code, shown.state], JSON.stringify(shown)).toEqual([0, 'done']);
  expect(String(outputOf(shown, 'summary')?.['output'])).toContain('b.txt:2:TODO');

  const flow = (word: string) =>
    `const nodes = ['a', 'b'].map((id) => ({ id, needs: ['gate'], command: 'echo ${word} ' + id }));
     export default { name: 'x', nodes: [{ id: 'gate', approve: 'Go?' }, ...nodes] };`;
  home.put('work/flow.ts', flow('old'));
  const { id } = run(['run', 'flow.ts']).shown;
  home.put('work/flow.ts', "throw new Error('evaluated again');");
  expect(run(['continue', id]).shown.stop).toBe('waiting');
  // Only who asks for the file as it is now has it evaluated again.
  expect(home.tenon(['workflow', 'continue', id, '--take-changes']).err).toContain('evaluated again');
  home.put('work/flow.ts', flow('new'));
  const answered = run(['answer', id, 'gate', 'yes']).shown;
  expect([outputOf(answered, 'a'), outputOf(answered, 'b')]).toMatchObject([{ output: 'old a' }, { output: 'old b' }]);
  expect(home.tenon(['workflow', 'graph', 'flow.ts']).out).toContain('gate --> b');
});

test('what is wrong is told with what to do; a dry run does nothing', () => {
  home.put('work/bad.yml', 'name: x\nnodes:\n  - id: a\n    needs: [b]\n    command: x\n');
  home.put('work/worse.yml', 'name: x\nnodes:\n  - id: a\n    comand: x\n');
  expect(home.tenon(['workflow', 'run', 'worse.yml']).err).toContain('unknown key "comand"');
  const bad = home.tenon(['workflow', 'run', 'bad.yml']);
  expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('needs "b", which is not there')]);
  expect(home.tenon(['workflow', 'run', 'none.yml']).err).toContain('cannot be read');
  expect(home.tenon(['workflow', 'run', example('release.yml')]).err).toContain('"version" is missing');
  const dry = home.tenon(['workflow', 'run', example('review.yml'), '--dry-run']);
  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('2. review (agent, for each): search for {{item}}')]);
  expect(home.tenon(['workflow', 'list']).out).toContain('No workflow yet');
  expect(home.tenon(['workflow', 'graph', example('review.yml')]).out).toContain('change --> review');
});
