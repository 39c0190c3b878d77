import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildProgram } from '@tenon/test-kit/built-program';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit } from '@tenon/test-kit/waiting';
import { beforeAll, expect, it } from 'vitest';
import { PLUGINS } from './support/scripted-world.ts';
import { memoryGrowth, type MemorySample } from './support/memory-growth.ts';

const TURNS = Number(process.env['TENON_SOAK_TURNS'] ?? 300);
/**
 * A session remembers where each of its entries stands; beyond that nothing may stay. V8 from 13 on (Node.js 24) learns about the code for longer: it
 * keeps 2,200 bytes per turn over 300 turns, and 500 over 1,500, as older ones do.
 */
const LIVE_BYTES_PER_TURN = Number.parseInt(process.versions.v8, 10) >= 13 ? 3_000 : 2_000;
const RESIDENT_RATIO = 1.15;

let home: string;
let child: string;
beforeAll(async () => {
  home = temporaryFolder('soak');
  child = await buildProgram(join(import.meta.dirname, 'support', 'soak-child.ts'), { plugins: PLUGINS });
});

it(
  `keeps its memory flat over ${TURNS} turns with tools and compactions`,
  { timeout: patientLimit(60_000 + TURNS * 200) },
  async () => {
    const { samples, compactions } = await soak(TURNS);
    const growth = memoryGrowth(samples);
    if (process.env['TENON_SOAK_REPORT']) report(samples, compactions, growth);
    expect(compactions).toBeGreaterThan(0);
    expect(growth.livePerTurn).toBeLessThan(LIVE_BYTES_PER_TURN);
    expect(growth.residentRatio).toBeLessThan(RESIDENT_RATIO);
  },
);

it('would notice 10 kB that stay per turn', async () => {
  const { samples } = await soak(300, 10_000);
  expect(memoryGrowth(samples).livePerTurn).toBeGreaterThan(LIVE_BYTES_PER_TURN);
});

async function soak(turns: number, leak = 0): Promise<{ samples: MemorySample[]; compactions: number }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', child, home, String(turns), String(leak)],
    { maxBuffer: 64 << 20 },
  );
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  const { compactions = 0 } = lines.pop() ?? {};
  const samples = lines.map(({ turn = 0, rss = 0, heapUsed = 0, external = 0 }) => ({
    turn,
    rss,
    live: heapUsed + external,
  }));
  return { samples, compactions };
}

function report(samples: readonly MemorySample[], compactions: number, growth: object): void {
  const marks = [0.2, 0.6, 1].map((part) => samples[Math.ceil(samples.length * part) - 1]);
  process.stderr.write(`${JSON.stringify({ compactions, ...growth, marks })}\n`);
}
