/** Measuring whole commands, taking turns, so that a slow moment of the machine hits all of them. */
import { spawnSync } from 'node:child_process';

/** @typedef {{ name: string, command: string, args: string[], env?: NodeJS.ProcessEnv, cwd?: string }} Case */

/**
 * Median milliseconds of each command.
 * @param {readonly Case[]} cases @param {{ rounds: number, warmUp?: number }} options @returns {Record<string, number>}
 */
export function measureCommands(cases, { rounds, warmUp = 3 }) {
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(cases.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    // The order rotates, too: no program always runs after the same neighbour.
    for (let index = 0; index < cases.length; index += 1) {
      const { name, command, args, env = process.env, cwd } = cases[(index + Math.max(round, 0)) % cases.length];
      const started = process.hrtime.bigint();
      const { status, stderr, error } = spawnSync(command, args, { env, cwd });
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
      if (error) throw error;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      if (round >= 0) times[name].push(milliseconds);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/**
 * Median milliseconds of one call. Fast calls are repeated many times, slow ones at least three times.
 * @param {() => unknown} work @param {{ quick?: boolean }} [options]
 */
export async function measureCall(work, { quick = false } = {}) {
  const budgetMs = quick ? 200 : 1500;
  const times = [];
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await work();
  const end = performance.now() + budgetMs;
  while (times.length < 3 || (performance.now() < end && times.length < 1000)) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
