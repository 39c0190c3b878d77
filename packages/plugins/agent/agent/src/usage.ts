import { NO_USAGE, type Usage } from '@tenon/models/api';

/** The sum of several usages. */
export function addUsage(parts: readonly Usage[]): Usage {
  return parts.reduce<Usage>(
    (sum, part) => ({
      input: sum.input + part.input,
      output: sum.output + part.output,
      cacheRead: sum.cacheRead + part.cacheRead,
      cacheWrite: sum.cacheWrite + part.cacheWrite,
      reasoning: (sum.reasoning ?? 0) + (part.reasoning ?? 0),
      totalTokens: sum.totalTokens + part.totalTokens,
      cost: {
        input: sum.cost.input + part.cost.input,
        output: sum.cost.output + part.cost.output,
        cacheRead: sum.cost.cacheRead + part.cost.cacheRead,
        cacheWrite: sum.cost.cacheWrite + part.cost.cacheWrite,
        total: sum.cost.total + part.cost.total,
      },
    }),
    NO_USAGE,
  );
}
