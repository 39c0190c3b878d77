import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartNotice } from '../src/start-notice.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('when a session is told how its commands are held', () => {
  const start = () => {
    const told: string[] = [];
    const notice = new StartNotice();
    const begin = (session: string) => {
      notice.begin(session, () => {
        told.push(session);
        return Promise.resolve();
      });
    };
    return { notice, begin, told };
  };

  it('does not look while the first request is made', () => {
    const { notice, begin, told } = start();
    begin('a');
    notice.requested();
    expect(told).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(told).toEqual(['a']);
  });

  it('tells somebody who has said nothing yet', () => {
    const { begin, told } = start();
    begin('a');
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['a']);
  });

  it('tells each session once', async () => {
    const { notice, begin, told } = start();
    begin('a');
    begin('a');
    vi.advanceTimersByTime(1_000);
    begin('a');
    notice.requested();
    begin('b');
    vi.advanceTimersByTime(1_000);
    await notice.finish();
    expect(told).toEqual(['a', 'b']);
  });

  it('says what is left before Tenon ends', async () => {
    const { notice, begin, told } = start();
    begin('a');
    notice.requested();
    begin('b');
    await notice.finish();
    expect(told).toEqual(['a', 'b']);
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['a', 'b']);
  });
});
