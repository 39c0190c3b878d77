/** One look at the memory of a process. */
export interface MemorySample {
  readonly turn: number;
  readonly rss: number;
  /** What lives after a collection. */
  readonly live: number;
}

/** How memory went after the warm-up. */
export interface MemoryGrowth {
  /** Median resident bytes of the last quarter beside the first quarter. */
  readonly residentRatio: number;
  /** Bytes that stay alive per turn: the slope of the line through all samples (Theil-Sen: outliers do not bend it). */
  readonly livePerTurn: number;
}

/** Measures growth, without the first third of the samples. */
export function memoryGrowth(samples: readonly MemorySample[]): MemoryGrowth {
  const steady = samples.slice(Math.floor(samples.length / 3));
  const quarter = Math.max(1, Math.floor(steady.length / 4));
  const resident = (part: readonly MemorySample[]) => median(part.map(({ rss }) => rss));
  const step = Math.max(1, Math.floor(steady.length / 100));
  const thinned = steady.filter((_, at) => at % step === 0);
  const slopes = thinned.flatMap((a, at) => thinned.slice(at + 1).map((b) => (b.live - a.live) / (b.turn - a.turn)));
  return {
    residentRatio: resident(steady.slice(-quarter)) / resident(steady.slice(0, quarter)),
    livePerTurn: median(slopes),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
