/** What a run has done, as the page shows it. */
import type { RunEvent } from '@tenon/runs/api';
import { expect, test } from 'vitest';
import { RunRows } from '../src/page/views/run-rows.ts';

const SIGNAL = '```signal\n{"session": 1, "status": "done"}\n```';

function shown(...texts: readonly string[]): readonly string[] {
  const rows = new RunRows();
  return texts.flatMap((text, place) => {
    const what = { type: 'worker', event: { type: 'text', text } };
    return rows.event({ place, what } as unknown as RunEvent)?.text ?? [];
  });
}

test('what a worker tells its keeper is no part of what it says, in one piece or line by line', () => {
  expect(shown(`I am done.\n\n${SIGNAL}\n`)).toEqual(['I am done.']);
  expect(shown('I am done.', ...SIGNAL.split('\n'), 'And more.')).toEqual(['I am done.', 'And more.']);
  expect(shown(SIGNAL)).toEqual([]);
});

test('other code, and words about signals, are shown', () => {
  const texts = ['Use ```signal``` like that.', '```js\nsignal()\n```', 'the signal is green'];
  expect(shown(...texts)).toEqual(texts);
});
