/** The folder through which a run and its worker exchange files, with real files; the worker's are not trusted. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  outputFolder,
  prepareExchange,
  proposalFolder,
  proposalsOf,
  readAnswerSignal,
  readSignal,
  resumePrompt,
} from '../src/exchange/exchange.ts';
import type { Run, RunRequest } from '../src/run.ts';

let folder: string;
let cwd: string;

beforeEach(() => {
  const base = temporaryFolder('exchange');
  [folder, cwd] = [join(base, 'exchange'), join(base, 'project')];
  mkdirSync(cwd, { recursive: true });
});

const runOf = (request: Partial<RunRequest> = {}, session = 1): Run =>
  ({ id: 'r1', alias: 'brisk-otter', session, attempt: 1, request: { task: 'fix the login', cwd, ...request } }) as Run;

function signal(text: string, session = 1): Promise<Awaited<ReturnType<typeof readSignal>>> {
  mkdirSync(outputFolder(folder, session), { recursive: true });
  writeFileSync(join(outputFolder(folder, session), 'signal.json'), text);
  return readSignal(folder, session);
}

describe('what a worker is given', () => {
  test('is the task in the words of the user, and the instruction beside it', async () => {
    const { prompt, systemPrompt, folders } = await prepareExchange(runOf({ systemPrompt: 'Speak French.' }), folder);
    expect(prompt).toBe('fix the login');
    expect(systemPrompt.startsWith('Speak French.')).toBe(true);
    expect(systemPrompt).toContain(`write ${outputFolder(folder, 1)}/signal.json`);
    expect(systemPrompt).toContain('{"session": 1, "status": "done"');
    expect(folders).toEqual([folder]);
    expect(readFileSync(join(folder, 'input/task.md'), 'utf8')).toMatch(/^---\nrun: r1\n[^]*---\n\nfix the login\n$/);
  });

  test.each([
    ['execute', 'Do all of it', false],
    ['discuss', 'Change no files', false],
    ['plan', 'one per phase', true],
    ['detail', 'one file per task', true],
    ['refine', 'Keep what is good', true],
  ] as const)('in the mode %s says what is wanted', async (mode, words, proposes) => {
    const { systemPrompt } = await prepareExchange(runOf({ mode }), folder);
    expect(systemPrompt).toContain(words);
    expect(systemPrompt.includes(proposalFolder(folder, 1))).toBe(proposes);
  });

  test('are input files with front matter, and copies of context that cannot be changed', async () => {
    putFiles(cwd, { 'docs/a.md': 'about', 'docs/.git/config': 'secret', 'b.txt': 'b' });
    const inputs = { 'spec.md': '# Spec', 'data.json': '{}' };
    const { systemPrompt } = await prepareExchange(runOf({ inputs, context: ['docs', 'b.txt'] }), folder);
    expect(readFileSync(join(folder, 'input/spec.md'), 'utf8')).toBe(
      '---\nrun: brisk-otter\ninput: "spec.md"\n---\n\n# Spec',
    );
    expect(readFileSync(join(folder, 'input/data.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(folder, 'context/docs/a.md'), 'utf8')).toBe('about');
    expect(statSync(join(folder, 'context/docs/a.md')).mode & 0o222).toBe(0);
    expect(existsSync(join(folder, 'context/docs/.git'))).toBe(false);
    expect(systemPrompt).toContain('- spec.md');
    expect(systemPrompt).toContain(join(folder, 'context'));
    await prepareExchange(runOf({ inputs, context: ['docs', 'b.txt'] }, 2), folder);
  });

  test('never lies outside of its folder', async () => {
    for (const name of ['../x', 'a/b', '..', '.', '', 'task.md'])
      await expect(prepareExchange(runOf({ inputs: { [name]: '' } }), folder), name).rejects.toMatchObject({
        code: 'RUNS_INPUT_NAME',
      });
    await expect(prepareExchange(runOf({ context: ['none'] }), folder)).rejects.toMatchObject({ code: 'RUNS_CONTEXT' });
  });
});

describe('going on', () => {
  const data = { folder: '', isFresh: false };

  test('with answers names each question', () => {
    const answers = [{ run: 'r', session: 1, id: 'db', text: 'Which database?', answer: 'sqlite' }];
    const text = resumePrompt(runOf({}, 2), 'answer', { ...data, folder, answers });
    expect(text).toMatch(/\*\*Which database\?\*\*\nsqlite/);
    expect(text).toContain(`${outputFolder(folder, 2)}/signal.json`);
    expect(text).not.toContain('fix the login');
  });

  test('after a failure warns of tools whose effects stay, by name and attempt', () => {
    const sideEffects = [{ tool: 'create_pull_request', attempts: [1, 2] }];
    const text = resumePrompt(runOf({}, 3), 'retry', { folder, isFresh: true, error: 'overloaded', sideEffects });
    expect(text).toContain('- create_pull_request (attempt 1, 2)');
    expect(text).toContain('fix the login');
    expect(text).toContain('The last attempt failed: overloaded');
  });

  test('without its own session gets the whole task again', () => {
    expect(resumePrompt(runOf({}, 2), 'account', { folder, isFresh: true })).toContain('fix the login');
    expect(resumePrompt(runOf({}, 2), 'account', { folder, isFresh: false })).toContain('You were interrupted');
  });

  test('is told why: a message, a missing signal, somebody who took over', () => {
    expect(resumePrompt(runOf({}, 2), 'message', { ...data, folder, message: 'also the tests' })).toMatch(
      /^also the tests/,
    );
    expect(resumePrompt(runOf({}, 2), 'missing-signal', { ...data, folder })).toContain('without saying how it ended');
    expect(resumePrompt(runOf({}, 2), 'release', { ...data, folder })).toContain('Somebody has worked');
  });

  test('never takes what a person wrote for a template', () => {
    const text = resumePrompt(runOf({ task: '{{secret}} & <b>' }, 2), 'retry', {
      folder,
      isFresh: true,
      message: '{{#if x}}',
    });
    expect(text).toContain('{{secret}} & <b>');
    expect(text).toContain('{{#if x}}');
  });
});

describe('the signal of a worker', () => {
  test('is believed when it is whole and of this session', async () => {
    expect(await signal('{"session":1,"status":"done","result":"ok"}')).toMatchObject({
      signal: { status: 'done', result: 'ok' },
    });
    expect(await signal('{"status":"error","error":"no disk"}')).toMatchObject({ signal: { status: 'error' } });
    const questions = [{ id: 'db', text: 'Which?', options: ['a', 'b'] }];
    expect(await signal(JSON.stringify({ status: 'questions', questions }))).toMatchObject({ signal: { questions } });
    expect(await readSignal(folder, 7)).toEqual({});
  });

  test('of an earlier session is refused', async () => {
    expect(await signal('{"session":1,"status":"done"}', 2)).toEqual({
      notice: expect.stringContaining('of session 1, not of this one (2)'),
    });
  });

  test.each([
    '',
    'done',
    '[]',
    'null',
    '{"status":"finished"}',
    '{"status":"__proto__"}',
    '{"status":"questions"}',
    '{"status":"questions","questions":[]}',
    '{"status":"questions","questions":[{"id":"a","text":"x"},{"id":"a","text":"y"}]}',
    '{"status":"questions","questions":[{"id":"../a","text":"x"}]}',
    '{"status":"error"}',
    '{"session":"1","status":"done"}',
  ])('that says %s is refused with a notice', async (text) => {
    const found = await signal(text);
    expect([found.signal, typeof found.notice]).toEqual([undefined, 'string']);
  });

  test('whatever it holds, is a signal or a notice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        const found = await signal(text);
        expect(Object.keys(found).length).toBe(1);
      }),
      { numRuns: caseCount(60) },
    );
  });
});

describe('a worker that leads Tenon to files which it cannot read itself', () => {
  let secret: string;
  beforeEach(() => {
    secret = join(cwd, 'secret.json');
    writeFileSync(secret, '{"status":"done","result":"SECRET"}');
    mkdirSync(proposalFolder(folder, 1), { recursive: true });
  });

  test('by a link or a second name of the file is refused', async () => {
    symlinkSync(secret, join(outputFolder(folder, 1), 'signal.json'));
    symlinkSync(secret, join(proposalFolder(folder, 1), 'a.md'));
    linkSync(secret, join(proposalFolder(folder, 1), 'b.md'));
    expect(await readSignal(folder, 1)).toEqual({ notice: expect.stringContaining('was not read') });
    expect(await proposalsOf(folder, 1)).toEqual([]);
  });

  test('by a link in place of the folder is refused', async () => {
    putFiles(cwd, { 'elsewhere/signal.json': '{"status":"done"}', 'elsewhere/proposals/x.md': 'SECRET' });
    symlinkSync(join(cwd, 'elsewhere'), outputFolder(folder, 2));
    expect(await readSignal(folder, 2)).toEqual({ notice: expect.stringContaining('leads elsewhere') });
    expect(await proposalsOf(folder, 2)).toEqual([]);
  });

  test('or fills the disk is refused', async () => {
    writeFileSync(join(outputFolder(folder, 1), 'signal.json'), 'x'.repeat(2_000_000));
    expect(await readSignal(folder, 1)).toEqual({ notice: expect.stringContaining('larger') });
  });
});

test('proposals have a title and a text', async () => {
  const place = proposalFolder(folder, 1);
  putFiles(place, { 'b.md': '---\ntitle: "Second"\n---\n\ntext\n', 'a.md': 'no head', 'c.txt': 'other' });
  expect(await proposalsOf(folder, 1)).toEqual([
    { name: 'a.md', title: 'a', text: 'no head' },
    { name: 'b.md', title: 'Second', text: 'text' },
  ]);
  chmodSync(place, 0o755);
});

describe('a worker that cannot write to the folder', () => {
  const block = (body: string) => `All is done.\n\n\`\`\`signal\n${body}\n\`\`\`\n`;

  test('is told to end its answer with the signal, which is not part of the answer', async () => {
    const { systemPrompt } = await prepareExchange(runOf(), folder, 'answer');
    expect(systemPrompt).toContain('```signal\n{"session": 1, "status": "done"}\n```');
    expect(systemPrompt).not.toContain('signal.json');
    expect(resumePrompt(runOf({}, 2), 'release', { folder, isFresh: false, signalBy: 'answer' })).toContain(
      '{"session": 2,',
    );
    expect(await readAnswerSignal(block('{"session":1,"status":"done"}'), 1)).toEqual({
      signal: { session: 1, status: 'done' },
      text: 'All is done.',
    });
    const questions = [{ id: 'db', text: 'Which?' }];
    expect(await readAnswerSignal(block(JSON.stringify({ status: 'questions', questions })), 1)).toMatchObject({
      signal: { questions },
    });
  });

  test('and says something else is refused, and what it said stays', async () => {
    expect(await readAnswerSignal(block('{"session":7,"status":"done"}'), 1)).toMatchObject({
      notice: expect.stringContaining('session 7'),
      text: 'All is done.',
    });
    for (const text of ['', 'plain', '```signal\n{}', 'a ```signal b', `${block('{"status":"done"}')}more`])
      expect(await readAnswerSignal(text, 1)).toEqual({ text });
  });
});

describe('links that a worker has left for the next session', () => {
  const outside = () => join(cwd, 'outside');

  test.each([
    ['the task', 'input/task.md'],
    ['an input', 'input/notes.md'],
  ])('%s is not written through one', async (_, path) => {
    putFiles(cwd, { outside: 'mine' });
    await prepareExchange(runOf({ inputs: { 'notes.md': 'n' } }), folder);
    rmSync(join(folder, path));
    symlinkSync(outside(), join(folder, path));
    await prepareExchange(runOf({ inputs: { 'notes.md': 'n' } }, 2), folder);
    expect(readFileSync(outside(), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, path), 'utf8')).toContain(path.endsWith('task.md') ? 'fix the login' : 'n');
  });

  test.each(['input', 'output', 'context', 'output/session-2', 'output/session-2/proposals'])(
    '%s in place of a folder leads nowhere',
    async (path) => {
      putFiles(cwd, { 'context.txt': 'c', 'outside/kept': 'mine' });
      const request = { inputs: { 'notes.md': 'n' }, context: ['context.txt'] };
      await prepareExchange(runOf(request), folder);
      rmSync(join(folder, path), { recursive: true, force: true });
      mkdirSync(join(folder, path, '..'), { recursive: true });
      symlinkSync(outside(), join(folder, path));
      await prepareExchange(runOf(request, 2), folder);
      expect(readdirSync(outside())).toEqual(['kept']);
      expect(existsSync(proposalFolder(folder, 2))).toBe(true);
    },
  );
});
