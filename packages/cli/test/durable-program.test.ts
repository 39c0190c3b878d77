/** What runs and workflows of one machine promise, with the built program: waiting costs no slot, a kill loses nothing, a change has a defined outcome. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '@tenon/test-kit/program';
import { processesWith } from '@tenon/test-kit/processes';
import { until } from '@tenon/test-kit/waiting';
import { ApiClient } from '@tenon/web/api';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Asks when it is told to, and says what the answer was. */
const CLI = `#!/bin/sh
task="$*"
session=$(printf '%s' "$task" | grep -o '"session": [0-9]*' | tail -1 | grep -o '[0-9]*')
signal() { printf '\\n\\n\`\`\`signal\\n%s\\n\`\`\`\\n' "$1"; }
case "$task" in
  *"answers to your questions"*) printf '%s' "$task" | grep -A1 'Which one' | tail -1; signal "{\\"session\\": $session, \\"status\\": \\"done\\"}";;
  *"ask first"*) signal "{\\"session\\": $session, \\"status\\": \\"questions\\", \\"questions\\": [{\\"id\\": \\"q\\", \\"text\\": \\"Which one?\\"}]}";;
  *) echo "I am done."; signal "{\\"session\\": $session, \\"status\\": \\"done\\"}";;
esac
`;

let home: Home;
let server: ChildProcess | undefined;
beforeEach(() => {
  home = new Home();
});
afterEach(async () => {
  server?.kill('SIGINT');
  server = undefined;
  await until(() => processesWith(home.folder).length === 0);
  home.remove();
});

async function openRoom(): Promise<ApiClient> {
  const program = join(home.folder, 'bin/hand');
  writeFileSync(program, CLI);
  chmodSync(program, 0o755);
  const hand = { program, args: ['{prompt}'], output: 'text', versionArgs: ['--version'] };
  home.put('home/config/settings.yml', JSON.stringify({ runs: { slots: 2 }, workers: { custom: { hand } } }));
  server = home.start(['web', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  server.stdout?.on('data', (part: Buffer) => (said += part.toString()));
  await until(() => said.trim().endsWith('}'));
  const { url, token } = JSON.parse(said) as { url: string; token: string };
  return new ApiClient({ base: url, token });
}

test('six runs that wait hold none of two slots, also when the keeper is killed; each goes on with its first answer, once', async () => {
  const client = await openRoom();
  const start = (task: string) =>
    client.call('startRun', { body: { task, cwd: home.work, worker: 'hand', worktree: false, validate: false } });
  const states = async () => (await client.call('listRuns', {})).runs.map(({ state }) => state);
  const waiting = [];
  for (let index = 0; index < 6; index += 1) waiting.push(await start('ask first'));
  await until(async () => (await states()).every((state) => state === 'waiting'));

  // Nobody keeps them while they wait: a kill changes nothing, and the next run gets a slot and a keeper.
  for (const pid of processesWith(home.folder, 'runs\0keep')) process.kill(pid, 'SIGKILL');
  const next = await start('just do it');
  // Whoever looks at the list sees to it that there is a keeper.
  const stateOf = async (id: string) => (await client.call('listRuns', {})).runs.find((run) => run.id === id)?.state;
  await until(async () => (await stateOf(next.id)) === 'done');
  expect((await states()).filter((state) => state === 'waiting')).toHaveLength(6);

  const answer = (id: string, value: string) =>
    client.call('answerRun', { params: { id }, body: { answers: { q: value } } });
  for (const { id } of waiting) await answer(id, 'this one');
  await expect(answer(waiting[0]?.id ?? '', 'that one')).rejects.toThrow();
  await until(async () => {
    const { runs } = await client.call('listRuns', {});
    const failed = runs.find(({ state }) => state === 'failed');
    if (failed) throw new Error(`${failed.alias}: ${failed.error?.message}`);
    return runs.every(({ state }) => state === 'done');
  });
  for (const { id } of waiting) {
    const { run, sessions, questions } = await client.call('viewRun', { params: { id } });
    expect([run.result?.text, sessions.length, questions[0]?.answer]).toEqual(['this one', 2, 'this one']);
  }
});

test('nodes that are added, renamed or removed while a workflow waits: what has run must stay, the rest may change', () => {
  const [a, gate, b] = [
    { id: 'a', command: 'echo 1' },
    { id: 'gate', needs: ['a'], approve: 'Go?' },
    { id: 'b', needs: ['gate'], command: 'echo old' },
  ];
  const put = (...nodes: readonly object[]) => home.put('work/flow.yml', JSON.stringify({ name: 'x', nodes }));
  const workflow = (...words: string[]) => home.tenon(['workflow', ...words, '--json']);
  const changed = (id: string) => home.tenon(['workflow', 'continue', id, '--take-changes']).err;
  put(a, gate, b);
  const { id } = JSON.parse(workflow('run', 'flow.yml').out) as { id: string };
  // A node that has run cannot be renamed or removed, nor can the one that asks.
  put({ ...a, id: 'first' }, { ...gate, needs: ['first'] }, b);
  expect(changed(id)).toContain('already finished or run: a, gate');
  put({ ...gate, needs: [] }, b);
  expect(changed(id)).toContain('already finished or run: a, gate');
  // One that has not run may be renamed, and others may be added.
  put(a, gate, { ...b, id: 'later', command: 'echo new' }, { id: 'added', needs: ['later'], command: 'echo added' });
  expect(changed(id)).toBe('');
  const { steps } = JSON.parse(workflow('answer', id, 'gate', 'yes').out) as {
    steps: readonly { step: string; output?: { output?: string } }[];
  };
  const outputs = Object.fromEntries(steps.map(({ step, output }) => [step, output?.output]));
  expect(outputs).toMatchObject({ a: '1', later: 'new', added: 'added' });
  expect(outputs).not.toHaveProperty('b');
});
