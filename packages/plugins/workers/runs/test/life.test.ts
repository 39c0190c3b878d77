/** What becomes of a run when a session has ended: the table, and what always holds. */
import { caseCount } from '@tenon/test-kit/properties';
import type { WorkerExit, WorkerFault, WorkerOutcome } from '@tenon/workers/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../src/exchange/contract.ts';
import { afterSession, type NextStep, type SessionEnd } from '../src/life/after-session.ts';
import { correctDiagnostics } from '../src/life/correct-diagnostics.ts';
import { matchesTool } from '../src/life/side-effects.ts';

const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

function outcome(more: Partial<WorkerOutcome> = {}): WorkerOutcome {
  return { isDone: false, text: 'said', usage: USAGE, totals: { usage: USAGE }, events: [], ...more };
}

function end(more: Partial<SessionEnd> = {}): SessionEnd {
  return {
    run: { request: { task: 't', cwd: '/' }, cliSession: 's1' },
    session: { reason: 'start' },
    exit: { code: 0 },
    outcome: outcome(),
    asked: 0,
    missingSignalRetries: 1,
    isResumed: false,
    ...more,
  };
}

const error = (fault: WorkerFault) => outcome({ error: { fault, message: 'no' } });
const DONE: Signal = { status: 'done', result: 'signalled' };
const ASKS: Signal = { status: 'questions', questions: [{ id: 'q', text: '?' }] };
const BROKEN: Signal = { status: 'error', error: 'cannot' };

describe('the table', () => {
  const rows: readonly [string, Partial<SessionEnd>, Partial<NextStep>][] = [
    ['the signal says done', { signal: DONE }, { type: 'done', result: { text: 'signalled' }, validate: true }],
    ['the signal says done and the CLI says error', { signal: DONE, outcome: error('other') }, { type: 'done' }],
    [
      'the signal says done and the process hung afterwards',
      { signal: DONE, exit: { stoppedFor: 'idle-timeout' } },
      { type: 'done' },
    ],
    [
      'the signal has data as result',
      { signal: { status: 'done', result: { a: 1 } } },
      { type: 'done', result: { text: '{"a":1}' } },
    ],
    [
      'the signal asks',
      { signal: ASKS, outcome: outcome({ isDone: true }) },
      { type: 'ask', questions: [{ id: 'q', text: '?' }] },
    ],
    [
      'the CLI could ask nobody, whatever the worker says about the end',
      {
        signal: DONE,
        outcome: outcome({ questions: [{ id: 'a', text: 'May it?' }], error: { fault: 'other', message: 'no' } }),
      },
      { type: 'ask', questions: [{ id: 'a', text: 'May it?' }] },
    ],
    [
      'the CLI could ask nobody, and the worker asks, too',
      { signal: ASKS, outcome: outcome({ questions: [{ id: 'a', text: 'May it?' }] }) },
      {
        type: 'ask',
        questions: [
          { id: 'a', text: 'May it?' },
          { id: 'q', text: '?' },
        ],
      },
    ],
    ['the signal says error', { signal: BROKEN }, { type: 'fail', error: { fault: 'other', message: 'cannot' } }],
    [
      'the signal says error because of a limit',
      { signal: BROKEN, outcome: error('rate-limit') },
      { type: 'switch-account' },
    ],
    [
      'no signal, and the CLI says done',
      { outcome: outcome({ isDone: true }) },
      { type: 'done', result: { text: 'said' } },
    ],
    [
      'data for a schema',
      { outcome: outcome({ isDone: true, structured: [1] }) },
      { type: 'done', result: { text: 'said', structured: [1] } },
    ],
    ['neither', {}, { type: 'again', reason: 'missing-signal', isFresh: false }],
    [
      'neither, and no session of the CLI is known',
      { run: { request: { task: 't', cwd: '/' } } },
      { type: 'again', isFresh: true },
    ],
    [
      'neither, and it was asked before',
      { asked: 1 },
      { type: 'fail', error: { fault: 'other', message: expect.stringContaining('exit code 0') } },
    ],
    ['killed by somebody', { exit: {} }, { type: 'fail', error: { fault: 'killed', message: expect.any(String) } }],
    ['cancelled, whatever it said', { signal: DONE, exit: { stoppedFor: 'cancel' } }, { type: 'cancelled' }],
    ['taken over', { exit: { stoppedFor: 'hijack' } }, { type: 'hijacked' }],
    [
      'too slow',
      { exit: { stoppedFor: 'timeout' } },
      { type: 'fail', error: { fault: 'timeout', message: expect.any(String) } },
    ],
    ['a limit', { outcome: error('rate-limit') }, { type: 'switch-account' }],
    ['no money', { outcome: error('quota') }, { type: 'switch-account' }],
    ['a key that is refused', { outcome: error('auth') }, { type: 'switch-account' }],
    ['no network', { outcome: error('network') }, { type: 'fail' }],
    [
      'the CLI has forgotten the session',
      { outcome: error('session-unknown'), isResumed: true },
      { type: 'again', reason: 'retry', isFresh: true },
    ],
    ['a new session is unknown', { outcome: error('session-unknown') }, { type: 'fail' }],
    ['a message waits', { signal: DONE, message: 3 }, { type: 'done', message: 3 }],
    [
      'no validation is wanted',
      { signal: DONE, run: { request: { task: 't', cwd: '/', validate: false } } },
      { type: 'done', validate: false },
    ],
    [
      'a plan changes no files',
      { signal: DONE, run: { request: { task: 't', cwd: '/', mode: 'plan' } } },
      { type: 'done', validate: false },
    ],
  ];
  test.each(rows)('%s', (_, given, expected) => {
    expect(afterSession(end(given))).toMatchObject(expected);
  });
});

const anyEnd: fc.Arbitrary<SessionEnd> = fc.record({
  run: fc.record({
    request: fc.record({ task: fc.constant('t'), cwd: fc.constant('/') }),
    cliSession: fc.constantFrom('s1', 's2'),
  }),
  session: fc.record({ reason: fc.constantFrom('start' as const, 'retry' as const, 'missing-signal' as const) }),
  exit: fc.record(
    {
      code: fc.integer({ min: 0, max: 255 }),
      stoppedFor: fc.constantFrom<NonNullable<WorkerExit['stoppedFor']>>(
        'cancel',
        'timeout',
        'idle-timeout',
        'output-limit',
        'hijack',
      ),
    },
    { requiredKeys: [] },
  ),
  outcome: fc
    .record({
      isDone: fc.boolean(),
      fault: fc.option(
        fc.constantFrom<WorkerFault>('auth', 'rate-limit', 'network', 'session-unknown', 'schema', 'other'),
      ),
    })
    .map(({ isDone, fault }) => (fault === null ? outcome({ isDone }) : { ...error(fault), isDone })),
  signal: fc.constantFrom(undefined, DONE, ASKS, BROKEN),
  asked: fc.nat(4),
  missingSignalRetries: fc.nat(3),
  isResumed: fc.boolean(),
  message: fc.constantFrom(undefined, 1),
});

test('property: a cancelled run stays cancelled, done needs somebody who said so, and no worker is asked for ever', () => {
  fc.assert(
    fc.property(anyEnd, (given) => {
      const step = afterSession(given);
      const { stoppedFor } = given.exit;
      expect(step.type === 'cancelled').toBe(stoppedFor === 'cancel');
      expect(step.type === 'hijacked').toBe(stoppedFor === 'hijack');
      if (step.type === 'done') expect(given.signal?.status === 'done' || given.outcome.isDone).toBe(true);
      if (step.type === 'ask') expect(given.signal?.status).toBe('questions');
      if (step.type === 'again' && step.reason === 'missing-signal')
        expect(given.asked).toBeLessThan(given.missingSignalRetries);
      if (step.type === 'again' && step.reason === 'retry') {
        // The fresh session that follows resumes nothing, so that it cannot come to this again.
        expect([given.isResumed, step.isFresh]).toEqual([true, true]);
      }
      if (step.type === 'fail') expect(step.error.message).not.toBe('');
      expect(afterSession(given)).toEqual(step);
    }),
    { numRuns: caseCount(1_000) },
  );
});

test('a tool is meant by its name or by a prefix', () => {
  expect(['push', 'send_mail', 'pushes', 'send'].map((name) => matchesTool(name, ['push', 'send_*']))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a probe that saw room is corrected when the run itself reached a limit', () => {
  const report = {
    worker: 'fake',
    at: '',
    checks: [
      { id: 'cli-installed' as const, status: 'pass' as const, message: 'there' },
      { id: 'key-valid' as const, status: 'pass' as const, message: 'fine' },
      { id: 'rate-limit' as const, status: 'pass' as const, message: 'room' },
    ],
  };
  const statuses = (fault: WorkerFault, message: string) =>
    correctDiagnostics(report, { fault, message }).checks.map(({ status }) => status);
  expect(statuses('rate-limit', 'x')).toEqual(['pass', 'pass', 'fail']);
  expect(statuses('other', 'API says: quota exceeded')).toEqual(['pass', 'pass', 'fail']);
  expect(statuses('auth', 'x')).toEqual(['pass', 'fail', 'pass']);
  expect(statuses('network', 'no route')).toEqual(['pass', 'pass', 'pass']);
});
