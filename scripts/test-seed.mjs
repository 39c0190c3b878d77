/**
 * Property-based tests draw the same cases in every run of `npm test`, so that a change is judged by itself and not by luck. Others are
 * drawn with TENON_TEST_SEED=random (or a number), which is how the rare ones are found.
 */
import fc from 'fast-check';

const wanted = process.env['TENON_TEST_SEED'] ?? '20261116';
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });
