/** `npx NAME …`, `npm exec`, `pnpm exec`: a known tool of projects is judged as itself, everything else comes from the network. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CallWord, Check, Meaning } from '../language.ts';
import { checkWords } from './npm.ts';

/** Tools that projects have among their packages. Their names belong to well-known packages. */
const TOOLS = new Set(
  'tsc tsgo vue-tsc tsx ts-node eslint oxlint oxfmt prettier biome vitest jest mocha ava c8 nyc vite webpack rollup esbuild tsup tsdown turbo nx lerna stylelint svelte-check next nuxt nuxi astro ng knip madge typedoc playwright cypress markdownlint markdownlint-cli2 cspell commitlint concurrently npm-run-all run-s run-p cross-env sass tailwindcss react-scripts vue-cli-service docusaurus vitepress gatsby pyright'.split(
    ' ',
  ),
);

/** Whether this is the name of a tool that projects have among their packages. */
export function isProjectTool(name: string): boolean {
  return TOOLS.has(name);
}

/** Judges what is run from the packages of the project. */
export function runTool(words: readonly CallWord[], meaning: Meaning): void {
  const [program] = words;
  const name = program?.value;
  if (program === undefined || name === undefined)
    return meaning.refuse('a package that is only known when it runs', program);
  // Tenon's own program counts as itself, wherever it comes from.
  if (TOOLS.has(name) || name === 'tenon') return meaning.command(words);
  for (let folder = meaning.cwd; ; folder = dirname(folder)) {
    if (/^[\w.-]+$/.test(name) && existsSync(join(folder, 'node_modules', '.bin', name)))
      return meaning.refuse(`the program ${name} of the project`, program);
    if (folder === dirname(folder)) break;
  }
  meaning.refuse(`the package ${name}, which may come from the network`, program);
}

/** A program of a package. */
export const check: Check = {
  check(call, meaning) {
    checkWords({ ...call, operands: [] }, meaning);
    if (call.operands.length > 0) runTool(call.operands, meaning);
    else if (!call.flags.has('-c')) meaning.refuse(`\`${call.path.join(' ')}\` without a program`);
  },
};
