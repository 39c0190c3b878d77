import { describe, expect, it } from 'vitest';
import { Leaving } from '../src/leaving.ts';

/** A screen with a draft and a run; says what was done. */
function desk(state: { draft?: string; isRunning?: boolean } = {}) {
  const done: string[] = [];
  const now = { time: 0, draft: state.draft ?? '', isRunning: state.isRunning ?? false };
  const leaving = new Leaving({
    draft: () => now.draft,
    clearDraft: () => {
      done.push(`cleared ${now.draft}`);
      now.draft = '';
    },
    isRunning: () => now.isRunning,
    stop: () => {
      done.push('stopped');
      now.isRunning = false;
    },
    leave: () => void done.push('left'),
    rewind: () => void done.push('rewound'),
    hint: () => undefined,
    now: () => now.time,
  });
  return { leaving, done, now };
}

describe('Ctrl-C', () => {
  it('clears the draft, then stops the run, then leaves', () => {
    const { leaving, done, now } = desk({ draft: 'half', isRunning: true });
    leaving.clear();
    now.time = 5_000;
    leaving.clear();
    now.time = 6_000;
    leaving.clear();
    expect(done).toEqual(['cleared half', 'stopped', 'left']);
  });

  it('leaves only at the second press within two seconds', () => {
    const { leaving, done, now } = desk();
    leaving.clear();
    now.time = 2_500;
    leaving.clear();
    expect(done).toEqual([]);
    now.time = 4_000;
    leaving.clear();
    expect(done).toEqual(['left']);
  });

  it('never leaves while there is a draft', () => {
    const { leaving, done } = desk({ draft: 'half' });
    leaving.clear();
    expect(done).toEqual(['cleared half']);
  });
});

describe('Escape', () => {
  it('stops the run, and does not go back by the same press', () => {
    const { leaving, done } = desk({ isRunning: true });
    leaving.escape();
    expect(done).toEqual(['stopped']);
  });

  it('goes back when it is pressed twice quickly at rest, with no draft', () => {
    const { leaving, done, now } = desk();
    leaving.escape();
    now.time = 1_000;
    leaving.escape();
    expect(done).toEqual([]);
    now.time = 1_300;
    leaving.escape();
    expect(done).toEqual(['rewound']);
    now.draft = 'text';
    leaving.escape();
    leaving.escape();
    expect(done).toEqual(['rewound']);
  });
});
