import { REFUSERS } from '@tenon/model-fakes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overflowNumbers } from '../src/compaction/overflow-numbers.ts';

describe('the numbers in a refusal', () => {
  it.each([
    ['request (2465 tokens) exceeds the available context size (2048 tokens), try increasing it', 2465, 2048],
    ['prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
    ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000', 188_240, 200_000],
    ['The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).', 1_196_265, 1_048_575],
    ["The input (9000 tokens) is longer than the model's context length (8192 tokens).", 9000, 8192],
    ['The decoder prompt (length 9000) is longer than the maximum model length of 8192', 9000, 8192],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
    ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 40_000, 32_768],
    ['Your request exceeded model token limit: 131072 (requested: 200000)', 200_000, 131_072],
    ['prompt token count of 140000 exceeds the limit of 128000', 140_000, 128_000],
    ['The prompt is too long: 300000, model maximum context length: 202751', 300_000, 202_751],
    ['prompt is too long: 210,000 tokens > 200,000 maximum', 210_000, 200_000],
  ])('are found in "%s"', (text, counted, limit) => {
    expect(overflowNumbers(`test answered 400: ${text}`)).toEqual({ counted, limit });
  });

  it('are what the server counted, whoever says it and in whatever words', () => {
    const size = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(size, size, size, (prompt, answer, window) => {
        for (const [who, { body }] of Object.entries(REFUSERS)) {
          const { error, message = error?.message } = body({ prompt, answer, window }) as {
            error?: { message: string };
            message?: string;
          };
          const { counted, limit, excess } = overflowNumbers(String(message));
          expect([prompt, undefined], who).toContain(counted);
          expect([window, undefined], who).toContain(limit);
          expect([Math.max(1, prompt - window), undefined], who).toContain(excess);
          const isSilent = /without numbers|lm studio/.test(who);
          expect(counted === undefined && excess === undefined, who).toBe(isSilent);
        }
      }),
    );
  });

  it('are not made up where there are none', () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(overflowNumbers(text.replace(/\d/g, ''))).toEqual({})));
  });
});
