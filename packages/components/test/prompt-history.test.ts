import { describe, expect, it } from 'vitest';
import { PromptHistory } from '../src/editor/prompt-history.ts';

const paste = (number: number) => `${number} ${'x'.repeat(300_000)}`;

describe('earlier prompts', () => {
  it('are forgotten from the oldest on when they are too long together', () => {
    const history = new PromptHistory<string>();
    for (let number = 1; number <= 10; number += 1) history.add([paste(number)]);
    expect(history.prompts.map((prompt) => prompt.split(' ')[0])).toEqual(['8', '9', '10']);
  });

  it('keep the newest, however long it is', () => {
    const history = new PromptHistory<string>();
    history.add(['short', 'y'.repeat(5_000_000)]);
    expect(history.prompts).toEqual(['y'.repeat(5_000_000)]);
  });

  it('stay where they are during a walk', () => {
    const history = new PromptHistory<string>();
    history.add([paste(1), paste(2), paste(3)]);
    const unchanged = () => false;
    history.older(() => 'draft', unchanged);
    history.add([paste(4)]);
    expect(history.older(() => '', unchanged)).toEqual({ prompt: paste(2) });
    history.leave();
    history.add([paste(5)]);
    expect(history.prompts.length).toBe(3);
  });
});
