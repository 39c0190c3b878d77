/** `--worktree` in the built program: the run works elsewhere, and what it did is kept or gone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { converse } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { afterEach, beforeEach, expect, it } from 'vitest';

let shop: Workshop;
beforeEach(async () => {
  shop = await openWorkshop();
});
afterEach(() => shop.close());

const list = async () => {
  const { out } = await shop.tenon(['worktree', 'list', '--json']);
  return (JSON.parse(out) as { worktrees: { name: string; folder: string; branch: string; status: object }[] })
    .worktrees;
};

it('the agent changes and commits files in the worktree, not in the repository, and the worktree stays', async () => {
  const calls = [
    { tool: 'write', input: { path: 'notes.txt', content: 'from the agent\n' }, says: /notes\.txt/ },
    {
      tool: 'bash',
      input: {
        command:
          'git add notes.txt && git -c user.name=A -c user.email=a@example.org commit -qm notes && git branch --show-current && pwd',
      },
      says: /tenon\/fix-notes/,
    },
  ];
  const steps = calls.map((call) => ({ say: 'Working.', calls: [call] }));
  const flags = ['--no-session', '--worktree', 'fix-notes', '--yolo'];
  const { results, err, code } = await converse(shop, steps, { prompt: 'Write notes.', last: 'Done.', flags });
  expect(
    results.map(({ isError }) => isError),
    JSON.stringify(results) + err,
  ).toEqual([false, false]);
  expect(code).toBe(0);
  expect(err).toContain('The worktree fix-notes holds 1 commit (1 on no other branch)');
  expect(existsSync(join(shop.home.work, 'notes.txt'))).toBe(false);
  const [made] = await list();
  expect(made).toMatchObject({ name: 'fix-notes', branch: 'tenon/fix-notes', status: { changes: 0, commits: 1 } });
  expect(readFileSync(join(made?.folder ?? '', 'notes.txt'), 'utf8')).toBe('from the agent\n');

  const refused = await shop.tenon(['worktree', 'remove', 'fix-notes']);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err).toContain('work would be lost');
  shop.git('merge', '-q', 'tenon/fix-notes');
  expect(await shop.tenon(['worktree', 'remove', 'fix-notes'])).toMatchObject({ code: 0 });
  expect(await list()).toEqual([]);
  expect(existsSync(join(shop.home.work, 'notes.txt'))).toBe(true);
});

it('a run that changes nothing leaves nothing, also when its flags are wrong', async () => {
  const { err } = await converse(shop, [], {
    prompt: 'Hello.',
    last: 'Hello.',
    flags: ['--no-session', '--worktree'],
  });
  expect(err).toMatch(/Nothing was changed in the worktree \d{8}-\d{6}-\w{3}, so it was removed/);
  expect(await shop.tenon(['--worktree', 'x', '-p', 'hi', '--no-such-flag'])).toMatchObject({ code: 2 });
  expect(await list()).toEqual([]);
  expect(shop.git('branch', '--list', 'tenon/*')).toBe('');
});
