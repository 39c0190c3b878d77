/** What has open questions: runs, approvals, sessions of a server. */
import type { Approvals, HeldApproval } from '@tenon/approval/api';
import type { Run } from '@tenon/runs/api';
import type { Workflows } from '@tenon/workflows/api';
import { describe, expect, test } from 'vitest';
import { approvalsSource } from '../src/sources/approvals.ts';
import { runsSource } from '../src/sources/runs.ts';
import { type SessionQuestion, sessionsSource } from '../src/sources/sessions.ts';
import { workflowsSource } from '../src/sources/workflows.ts';
import { PlayedRuns } from './world.ts';

function heldApproval(more: Partial<HeldApproval> = {}): HeldApproval {
  return {
    id: 'abc',
    tool: 'bash',
    input: { command: 'rm -rf build' },
    folder: '/srv/shop',
    summary: 'rm -rf build',
    text: 'rm -rf build',
    spans: [],
    tier: 3,
    reasons: ['it deletes files'],
    state: 'waiting',
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-02T00:00:00.000Z',
    ...more,
  };
}

function approvalsOf(...all: HeldApproval[]) {
  const given: unknown[] = [];
  const service = {
    held: async () => all,
    async answer(id: string, answer: string, options: unknown) {
      given.push([id, answer, options]);
      const at = all.findIndex((one) => one.id === id);
      const [one] = all.splice(at, 1);
      return one;
    },
  } as unknown as Approvals;
  return { given, source: approvalsSource(async () => service) };
}

describe('approvals', () => {
  test('show the whole command with its reasons, and offer a yes that holds once, or a no', async () => {
    const { source } = approvalsOf(heldApproval(), heldApproval({ id: 'old', state: 'allowed' }));
    const [question, ...others] = await source.open();
    expect(others).toEqual([]);
    expect(question).toMatchObject({
      code: 'rm -rf build',
      options: ['Allow once', 'Deny'],
      takesText: false,
      blindOptions: ['Deny'],
    });
    expect(question?.title).toBe('An agent asks for approval, tier 3: rm -rf build');
    expect(question?.text).toContain('Folder: /srv/shop\n- it deletes files');
  });

  test('are answered by the label of a choice, once, and nothing else allows them', async () => {
    const { source, given } = approvalsOf(heldApproval(), heldApproval({ id: 'two' }));
    const [first, second] = await source.open();
    expect(await source.answer(first?.id ?? '', 'Always allow', 'me')).toBe('gone');
    expect(await source.answer('abc', 'Allow once', 'me')).toBe('gone');
    expect(await source.answer(first?.id ?? '', 'Allow once', 'me')).toBe('taken');
    expect(await source.answer(first?.id ?? '', 'Allow once', 'me')).toBe('gone');
    expect(await source.answer(second?.id ?? '', 'Deny', '42 (team)')).toBe('taken');
    expect(given).toEqual([
      ['abc', 'allow', { extent: 'once' }],
      ['two', 'deny', { reason: '42 (team) said no' }],
    ]);
  });

  test('that leave the sandbox say so in each choice', async () => {
    const { source, given } = approvalsOf(
      heldApproval({
        refused: [{ kind: 'network', what: 'x.example', evidence: 'seen' }],
        ways: ['outside', 'network'],
      }),
    );
    const [question] = await source.open();
    const outside = question?.options?.find((option) => option.includes('outside of the sandbox')) ?? '';
    expect(question?.text).toContain('It has run once in the sandbox and failed');
    expect(await source.answer(question?.id ?? '', outside, 'me')).toBe('taken');
    expect(given).toEqual([['abc', 'allow', { extent: 'once', way: 'outside' }]]);
  });

  test('are none where nothing asks for approval', async () => {
    expect(await approvalsSource(async () => undefined).open()).toEqual([]);
  });
});

describe('runs', () => {
  async function waiting() {
    const runs = new PlayedRuns();
    const run = await runs.service.start({ task: 'add a\ndatabase', cwd: '/srv', key: 'r1' });
    runs.move('r1', { state: 'waiting' });
    const question = { run: 'r1', session: 2, id: 'db/kind', text: 'Which?', options: ['SQLite'] };
    runs.questions.set('r1', [question, { ...question, id: 'old', answer: 'yes' }]);
    const given: unknown[] = [];
    const service = {
      ...runs.service,
      answer: async (at: Run, answers: unknown) => (given.push([at.id, answers]), at),
    };
    return { runs, run, given, source: runsSource(async () => service) };
  }

  test('ask with their open questions, and take words', async () => {
    const { source, given, run } = await waiting();
    expect(await source.open()).toEqual([
      {
        id: 'r1/2/db/kind',
        title: `${run.alias} asks (add a database)`,
        text: 'Which?',
        options: ['SQLite'],
        takesText: true,
        run: 'r1',
      },
    ]);
    expect(await source.answer('r1/2/db/kind', 'MongoDB', 'me')).toBe('taken');
    expect(given).toEqual([['r1', { 'db/kind': 'MongoDB' }]]);
  });

  test('that went on, or are gone, take no answer of an earlier session', async () => {
    const { source, given, runs } = await waiting();
    expect(await source.answer('r1/1/db/kind', 'x', 'me')).toBe('gone');
    expect(await source.answer('r1/2/old', 'x', 'me')).toBe('gone');
    runs.all.delete('r1');
    expect(await source.answer('r1/2/db/kind', 'x', 'me')).toBe('gone');
    expect(given).toEqual([]);
  });
});

describe('sessions of a server', () => {
  test('ask what is no approval: those are asked about by the approvals themselves', async () => {
    const all: SessionQuestion[] = [
      { id: 's1:1', session: 's1', method: 'select', title: 'bash wants to run', options: ['Allow once', 'Deny'] },
      // Of a subagent, whose own session the approvals know.
      {
        id: 's3:1',
        session: 's3',
        method: 'select',
        title: 'explorer: bash wants to run',
        options: ['Allow once', 'Allow for this session', 'Always allow (writes a policy rule)', 'Deny'],
      },
      {
        id: 's3:2',
        session: 's3',
        method: 'select',
        title: 'It has failed in the sandbox',
        options: ['Run it once outside of the sandbox', 'No'],
      },
      { id: 's2:1', session: 's2', method: 'select', title: 'Which plan?\nBoth work.', options: ['A', 'B'] },
      { id: 's2:2', session: 's2', method: 'confirm', title: 'Really?', message: 'It is large.' },
      { id: 's2:3', session: 's2', method: 'input', title: 'Name?' },
    ];
    const given: unknown[] = [];
    const approvals = {
      held: async () => [heldApproval({ session: 's1' }), heldApproval({ session: 's2', state: 'denied' })],
    };
    const answer = (question: SessionQuestion, given_: unknown) => void given.push([question.id, given_]);
    const source = sessionsSource({ questions: () => all, answer }, async () => approvals);
    expect(await source.open()).toMatchObject([
      { id: 's2:1', title: 'Session s2 asks: Which plan?', text: 'Both work.', options: ['A', 'B'], takesText: false },
      { id: 's2:2', text: 'It is large.', options: ['Yes', 'No'] },
      { id: 's2:3', takesText: true },
    ]);
    expect(await source.answer('s2:2', 'No', 'me')).toBe('taken');
    expect(await source.answer('s2:1', 'B', 'me')).toBe('taken');
    expect(await source.answer('s9:1', 'B', 'me')).toBe('gone');
    expect(given).toEqual([
      ['s2:2', { confirmed: false }],
      ['s2:1', { value: 'B' }],
    ]);
  });
});

test('a workflow asks with its steps that wait; the first answer counts', async () => {
  const steps = [
    { step: 'ship', state: 'asking', attempt: 1, question: 'Ship it?' },
    { step: 'build', state: 'done', attempt: 1 },
  ];
  const given: unknown[] = [];
  const service = {
    list: async () => ({
      workflows: [
        { id: 'w1', questions: 1 },
        { id: 'w2', questions: 0 },
      ],
      damaged: [],
    }),
    details: async (id: string) => ({ id, name: 'release', graph: [{ steps: [...steps] }] }),
    async answer(...words: string[]) {
      given.push(words);
      steps.shift();
    },
  } as unknown as Workflows;
  const source = workflowsSource(async () => service, 0);
  const [question] = await source.open();
  expect(question).toEqual({
    id: 'w1/1/ship',
    title: 'The workflow release asks (ship)',
    text: 'Ship it?',
    options: ['yes', 'no'],
    takesText: true,
    blindOptions: ['no'],
  });
  expect(await source.answer('w1/1/ship', 'yes', 'me')).toBe('taken');
  expect(await source.answer('w1/1/ship', 'no', 'me')).toBe('gone');
  expect(await source.open()).toEqual([]);
  expect(given).toEqual([['w1', 'ship', 'yes']]);
});
