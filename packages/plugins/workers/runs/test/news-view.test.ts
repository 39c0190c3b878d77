import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextSteps, runLine } from '../src/commands/describe.ts';
import { NewsView } from '../src/commands/news-view.ts';
import { SignalFilter } from '../src/commands/signal-filter.ts';
import { durationOf, requestOf } from '../src/commands/request.ts';
import type { Run, RunEventBody, RunNews } from '../src/run.ts';

const event = (what: RunEventBody): RunNews => ({
  type: 'event',
  event: { place: 1, run: 'r', session: 1, at: '', what },
});
const worker = (one: Extract<RunEventBody, { type: 'worker' }>['event']) => event({ type: 'worker', event: one });

test('pieces of an answer are joined, and what follows begins a line of its own', () => {
  const view = new NewsView();
  const shown = [
    worker({ type: 'text', text: 'I look', delta: true }),
    worker({ type: 'text', text: ' at it.', delta: true }),
    worker({ type: 'tool-start', id: '1', name: 'bash', input: { command: 'npm test' } }),
    worker({ type: 'tool-end', id: '1', isError: true, output: 'exit 1\nmore' }),
    worker({ type: 'text', text: 'Done.\n' }),
    event({ type: 'state', state: 'done' }),
  ].map((news) => view.show(news));
  expect(shown.join('')).toBe('I look at it.\n• bash npm test\n  failed: exit 1 more\nDone.\n[done]\n');
});

test('the block that is for the keeper is not shown, however the text is cut', () => {
  const text = 'One.\n```js\nx\n```\n\n```signal\n{"status":"done"}\n```\nTwo.\n';
  const wanted = 'One.\n```js\nx\n```\nTwo.';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
      const filter = new SignalFilter();
      let [shown, at] = ['', 0];
      for (let turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        shown += filter.push(text.slice(at, at + size));
        at += size;
      }
      expect((shown + filter.end()).trim().replaceAll(/\n+/g, '\n')).toBe(wanted);
    }),
  );
});

test('text that only looks like the beginning of such a block is shown', () => {
  for (const text of ['a\n```sig', '```signals\nx\n```\n', 'say ```signal\n', '``', '']) {
    const filter = new SignalFilter();
    expect(filter.push(text) + filter.end()).toBe(text);
  }
});

test('what a worker writes cannot steer the terminal', () => {
  const view = new NewsView({ verbose: true });
  const evil = '\u001B[2J\u001B]0;title\u0007\u009B31m';
  const bodies: RunEventBody[] = [
    { type: 'worker', event: { type: 'text', text: evil } },
    { type: 'worker', event: { type: 'thinking', text: evil, delta: true } },
    { type: 'worker', event: { type: 'tool-start', id: '1', name: evil, input: evil } },
    { type: 'worker', event: { type: 'tool-start', id: '1', name: 'x', input: { a: evil } } },
    { type: 'worker', event: { type: 'tool-end', id: '1', isError: true, output: evil } },
    { type: 'worker', event: { type: 'error', fault: 'other', message: evil } },
    { type: 'worker', event: { type: 'retry', fault: 'other', message: evil } },
    { type: 'notice', message: evil },
    { type: 'questions', questions: [{ id: evil, text: evil }] },
  ];
  const output = { place: 1, run: 'r', session: 1, sequence: 1, at: '', stream: 'validation', text: evil } as const;
  const all = [...bodies.map(event), { type: 'output', output } as const].map((news) => view.show(news)).join('');
  // eslint-disable-next-line no-control-regex
  expect(all).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
});

test('a run is one line that fits the screen', () => {
  const run = {
    alias: 'brisk-otter',
    worker: 'claude',
    state: 'running',
    created: '2026-01-01T00:00:00Z',
    request: { task: 'a\nlong '.repeat(40) },
  } as Run;
  const line = runLine(run, { width: 80, color: false, now: Date.parse('2026-01-01T02:00:00Z') });
  expect(line.length).toBeLessThanOrEqual(80);
  expect(line).toMatch(/^brisk-otter +claude +running +2 hours ago +a long/);
  expect(line).not.toContain('\n');
});

test('a time limit is a number with a unit, and nothing else', () => {
  expect(['90s', '30m', '2h', '1.5m', '45', '250ms'].map((text) => durationOf('timeout', text))).toEqual([
    90_000, 1_800_000, 7_200_000, 90_000, 45_000, 250,
  ]);
  for (const text of ['', 'soon', '-1s', '0', '5d', '1 h'])
    expect(() => durationOf('timeout', text), text).toThrow('it is not a time');
});

test('options of every CLI become part of the request; secrets and nonsense do not', async () => {
  const request = (flags: Readonly<Record<string, string | string[] | boolean>>) =>
    requestOf({ args: { task: ['do', 'it'] }, flags, cwd: '/work' } as never);
  expect(
    await request({
      env: ['A=1', 'B=x=y'],
      arg: ['--fast', '-x'],
      'max-output': '1.5kb',
      'no-yolo': true,
      'tool-surface': 'raw',
    }),
  ).toMatchObject({
    task: 'do it',
    env: { A: '1', B: 'x=y' },
    extraArgs: ['--fast', '-x'],
    maxOutputBytes: 1536,
    yolo: false,
    offerTools: 'raw',
  });
  expect(await request({ 'offer-tools': true, 'tool-surface': 'semantic' })).toMatchObject({ offerTools: true });
  expect(Object.keys(await request({}))).not.toContain('yolo');
  // What they stand for is known when the worker is.
  expect(await request({ option: ['fromPr=123', 'image=a.png', 'image=b=c.png', '__proto__=x'] })).toMatchObject({
    options: Object.fromEntries([
      ['fromPr', '123'],
      ['image', ['a.png', 'b=c.png']],
      ['__proto__', 'x'],
    ]),
  });
  await expect(request({ option: ['image'] })).rejects.toThrow('write name=value');
  for (const word of ['MY_TOKEN=abc', 'URL=https://me:password@host/', 'A', '=x', '1A=x'])
    await expect(request({ env: [word] }), word).rejects.toThrow('--env');
  for (const size of ['', '0', 'much', '5tb', '-1'])
    await expect(request({ 'max-output': size })).rejects.toThrow('not a size');
});

test('every run that can be gone on with says how', () => {
  const run = (state: Run['state']) => ({ alias: 'a-b', state }) as Run;
  expect(nextSteps(run('waiting'), [{ run: 'r', session: 1, id: 'db', text: '?' }])).toEqual([
    'tenon runs answer a-b db=…',
  ]);
  expect(nextSteps(run('failed'))[0]).toBe('tenon runs retry a-b');
  expect(nextSteps(run('running'))).toContain('tenon runs cancel a-b');
});
