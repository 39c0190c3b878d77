import type { Model } from './api.ts';
import type { Usage } from './messages.ts';

/** Tokens as providers tell them; `input` excludes what the cache gave or took. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning?: number;
}

const PER = 1_000_000;

/** The usage of one call with its cost; a model without prices costs nothing that we know of. */
export function usageOf(model: Pick<Model, 'price'>, tokens: TokenCounts): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  const price = model.price ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const parts = {
    input: (input * price.input) / PER,
    output: (output * price.output) / PER,
    cacheRead: (cacheRead * price.cacheRead) / PER,
    cacheWrite: (cacheWrite * price.cacheWrite) / PER,
  };
  const total = parts.input + parts.output + parts.cacheRead + parts.cacheWrite;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(reasoning !== undefined && { reasoning }),
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...parts, total },
  };
}
