import { loadAccelerator } from '@tenon/native';
import { describe, expect, it } from 'vitest';
import { Rows, Spinner, type SpinnerClock, TextBlock, TruncatedRow } from '../src/index.ts';

const text = await loadAccelerator('text');

/** A clock that moves when it is told to. */
class HandClock implements SpinnerClock {
  time = 0;
  waiting: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const entry = { at: this.time + milliseconds, callback };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter((other) => other !== entry);
    };
  }

  pass(milliseconds: number): void {
    for (const end = this.time + milliseconds; this.time < end; this.time++) {
      const due = this.waiting.filter((entry) => entry.at <= this.time);
      this.waiting = this.waiting.filter((entry) => entry.at > this.time);
      for (const entry of due) entry.callback();
    }
  }
}

describe('TextBlock', () => {
  it('wraps styled text once for a width, and again for another text', () => {
    const block = new TextBlock(text, '\x1b[1mone two three\x1b[22m');
    const rows = block.render(8);
    expect(rows.map((row) => text.sanitize(row))).toEqual(['one two', 'three']);
    expect(block.render(8)).toBe(rows);
    block.set('other');
    expect(block.render(8)).toEqual(['other']);
    block.set('');
    expect(block.render(8)).toEqual([]);
  });

  it('takes sequences out that are no styles', () => {
    expect(new TextBlock(text, 'a\x1b[2Jb\x1b]0;t\x07').render(20)).toEqual(['ab']);
  });
});

describe('Rows and TruncatedRow', () => {
  it('cut what is too wide', () => {
    expect(new Rows(text, ['abcdef', '日本語']).render(3)).toEqual(['abc', '日 ']);
    expect(new TruncatedRow(text, 'abc\n\tdef').render(5)).toEqual(['abc …']);
    expect(new TruncatedRow(text, 'abc').render(5)).toEqual(['abc']);
  });
});

describe('Spinner', () => {
  it('asks for at most eight frames a second, shows another sign in each, and none when it is stopped', () => {
    const clock = new HandClock();
    let requests = 0;
    const spinner = new Spinner({ text, clock, requestRender: () => requests++, frames: ['a', 'b', 'c'] });
    expect(spinner.render(20)).toEqual([]);
    spinner.start('Working');
    expect(spinner.render(20)).toEqual(['a Working']);
    requests = 0;
    clock.pass(1_001);
    expect(requests).toBe(8);
    expect(spinner.render(20)).toEqual(['c Working']);
    spinner.start('Still\nworking');
    expect(clock.waiting).toHaveLength(1);
    expect(spinner.render(9)).toEqual(['c Still …']);
    spinner.stop();
    expect(spinner.running).toBe(false);
    expect(clock.waiting).toEqual([]);
    expect(spinner.render(20)).toEqual([]);
  });
});
