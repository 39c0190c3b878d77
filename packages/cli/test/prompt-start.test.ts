/** What the built program loads until the first request of a prompt: each module costs time, and nothing shows when one comes back. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordPrompt } from '../../../scripts/program/record-prompt.mjs';
import { recordedPrompt } from '../../../scripts/program/regions.mjs';

const ROOT = join(import.meta.dirname, '../../..');
/** So many may be missing or too much before the list has to be made anew: a prompt reads a whole region for each of those that are missing. */
const OUTDATED = 8;

let seen: Awaited<ReturnType<typeof recordPrompt>>;
beforeAll(async () => void (seen = await recordPrompt(ROOT)));

describe('until the first request', () => {
  it('a prompt uses the modules that are put together for it (else run scripts/program/record-prompt.mjs)', () => {
    const { untilRequest } = recordedPrompt();
    const without = (all: readonly string[], some: readonly string[]) => all.filter((name) => !some.includes(name));
    const [missing, unused] = [without(seen.untilRequest, untilRequest), without(untilRequest, seen.untilRequest)];
    expect({ missing, isOutdated: missing.length > OUTDATED }).toEqual({ missing, isOutdated: false });
    expect({ unused, isOutdated: unused.length > OUTDATED }).toEqual({ unused, isOutdated: false });
  });

  it('Node loads nothing for clocks, child processes, threads or requests by its own client', () => {
    expect(seen.ofNode).toEqual(expect.arrayContaining(['http', 'fs/promises']));
    const heavy = [
      'perf_hooks',
      'child_process',
      'worker_threads',
      'https',
      'tls',
      'zlib',
      'readline',
      'internal/deps/undici/undici',
    ];
    expect(seen.ofNode.filter((name) => heavy.includes(name))).toEqual([]);
  });
});
