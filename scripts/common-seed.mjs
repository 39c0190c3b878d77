import { randomInt } from 'node:crypto';

const seed = process.env['TENON_TEST_SEED'] ?? '20261116';

/**
 * The seed of every property-based suite, TypeScript and Rust. `npm test` draws the same cases in every run, so that a change is judged
 * by itself and not by luck; TENON_TEST_SEED=random (or a number) draws others, which is how the rare ones are found.
 */
export const COMMON_SEED = seed === 'random' ? randomInt(2 ** 31) : Number(seed);
