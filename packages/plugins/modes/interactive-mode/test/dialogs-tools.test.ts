import { describe, expect, it } from 'vitest';
import { agentFactory } from '@tenon/agent/api';
import { type ApprovalQuestion, userInterface } from '@tenon/host';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { createFilePreviews, createInterface } from '../src/dialogs/index.ts';
import { Desk, KEY } from './dialogs-screen.ts';

const nothing = { setStatus: () => undefined, setWidget: () => undefined, setTitle: () => undefined };

describe('the ask tool', () => {
  it('shows all questions on one form, and the model gets the answers', async () => {
    const desk = new Desk();
    const questions = [
      {
        id: 'db',
        question: 'Which \u001b[31mdatabase?',
        options: [{ label: 'SQLite', description: 'one file, no server' }, { label: 'Postgres' }],
        recommended: 0,
      },
      { id: 'parts', question: 'Which parts?', options: [{ label: 'login' }, { label: 'cart' }], multi: true },
    ];
    const world = await createWorld({
      script: [{ calls: [{ name: 'ask', arguments: { questions } }] }, { text: 'Thanks.' }],
      services: [[userInterface, createInterface(desk, { ...nothing, now: desk.now })]],
      plugins: ['planning-tools'],
    });
    const session = await (await world.kernel.find(sessionStore)).create({ cwd: world.cwd });
    const { agent } = await (await world.kernel.find(agentFactory)).create({ session, cwd: world.cwd, tools: ['ask'] });
    const working = agent.prompt('Ask me.');
    const rows = await desk.sees('1/2 Which database?');
    expect(rows.join('\n')).toMatch(/❯ 1 SQLite \(recommended\)\n +one file, no server/);
    await desk.type(KEY.enter);
    await desk.sees('2/2 Which parts?');
    await desk.type(' ', KEY.down, ' ', KEY.enter);
    await working;
    const told = JSON.stringify(world.requests.at(-1)?.messages.at(-1));
    expect(told).toContain('db: User selected: SQLite');
    expect(told).toContain('parts: User selected: login, cart');
  });
});

describe('the question about a change of files', () => {
  const question = (tool: string, input: Record<string, unknown>, folder: string): ApprovalQuestion => ({
    id: 'x',
    tool,
    input,
    folder,
    pieces: [{ text: JSON.stringify(input), isRisky: false }],
    tier: 2,
    reasons: ['it changes a protected file'],
    notes: [],
    isSecondRun: false,
    choices: [{ id: '0', label: 'Deny', allows: false }],
  });

  it('shows what an edit and a write would change, above the whole input', async () => {
    const bench = await openWorkbench(['file-tools'], { files: { 'a.txt': 'one\ntwo\nthree\n' } });
    const ctx = { findOptional: bench.kernel.findOptional.bind(bench.kernel) };
    const desk = new Desk(90, 40);
    const ui = createInterface(desk, { ...nothing, now: desk.now, preview: createFilePreviews(ctx) });
    const anchor = /\d+[a-z]{2}/.exec((await bench.ok('read', { path: 'a.txt' }, 'by-hand')).split('\n')[1] ?? '')?.[0];
    const edit = { input: `@@ a.txt\n= ${anchor}..${anchor}\n~2\n` };
    const first = ui.decide?.(question('edit', edit, bench.root));
    const rows = (await desk.sees('2 + 2')).join('\n');
    expect(rows).toContain('2 - two');
    expect(rows).toContain('@@ a.txt');
    await desk.type('n');
    expect(await first).toEqual({ choice: '0' });
    // The first question must be off the screen: keys for a question that is not drawn yet are no answers.
    await desk.sees('the editor');
    const second = ui.decide?.(question('write', { path: 'a.txt', content: 'one\n2\nthree\n' }, bench.root));
    expect((await desk.sees('2 + 2')).join('\n')).toContain('2 - two');
    await desk.type('n');
    await second;
    expect(await createFilePreviews(ctx)(question('write', { path: 'new.txt', content: 'x' }, bench.root))).toEqual([]);
    expect(bench.get('a.txt')).toBe('one\ntwo\nthree\n');
  });
});
