import { until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it } from 'vitest';
import { FramePacer } from '../src/pacing.ts';

/** Far behind every limit of a test. */
const NEVER_MS = 2 ** 30;

let pacer: FramePacer | undefined;
afterEach(() => pacer?.cancel());

function newPacer(): { pacer: FramePacer; frames: () => number } {
  let frames = 0;
  const made = new FramePacer(() => {
    frames += 1;
    return true;
  }, 5);
  pacer = made;
  return { pacer: made, frames: () => frames };
}

describe('frames that may wait', () => {
  it('come as soon as somebody else wants a frame', async () => {
    const { pacer, frames } = newPacer();
    pacer.flush();
    pacer.request(NEVER_MS);
    pacer.request();
    await until(() => frames() === 2);
  });

  it('do not hold back one that was wanted before', async () => {
    const { pacer, frames } = newPacer();
    pacer.flush();
    pacer.request();
    pacer.request(NEVER_MS);
    await until(() => frames() === 2);
  });

  it('are drawn at once when the last frame is long ago', async () => {
    const { pacer, frames } = newPacer();
    pacer.request(NEVER_MS);
    await until(() => frames() === 1);
  });

  it('are one frame, however many there are', async () => {
    const { pacer, frames } = newPacer();
    pacer.flush();
    for (let count = 0; count < 100; count += 1) pacer.request(count % 2 === 0 ? NEVER_MS : undefined);
    await until(() => frames() === 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(frames()).toBe(2);
  });
});
