/** Every property suite draws its cases with the common seed (scripts/common-seed.mjs); these rules find one that does not. */

/** @type {readonly [RegExp, string][]} */
const OWN_SEEDS = [
  [/(?<!\$\{)\bseed\s*[:,}](?!\s*COMMON_SEED)/i, 'passes a seed of its own to fast-check'],
  [/\b(?:re)?[cC]onfigureGlobal\s*\(|resetConfigureGlobal/, 'changes what fast-check takes by default'],
  [/_SEED['"`\]]/, 'reads a seed of its own from the environment'],
];
const OWN_RUST_SEEDS = /\brng_seed\b|\bRngSeed\b|TestRng::from_seed|TestRunner::deterministic|new_with_rng/;

/** What is wrong with a test file's seeds. @param {string} path @param {string} text @returns {string[]} */
export function seedProblems(path, text) {
  if (path.endsWith('.rs')) {
    return OWN_RUST_SEEDS.test(text)
      ? [`${path} gives proptest a seed of its own; PROPTEST_RNG_SEED comes from npm test`]
      : [];
  }
  if (!/from 'fast-check'/.test(text)) return [];
  return OWN_SEEDS.filter(([pattern]) => pattern.test(withoutComments(text))).map(
    ([, problem]) => `${path} ${problem}; leave it to scripts/test-seed.mjs`,
  );
}

/** Comments and plain strings may speak of seeds. */
function withoutComments(text) {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
}
