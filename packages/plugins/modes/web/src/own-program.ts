/** How this very Tenon is started again. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CANDIDATES = ['../main.js', './main.js', '../program.js', './program.js'];

/** The words that start Tenon: the program that this code is part of, so that both have one version; else the one in PATH. */
export function ownProgram(): readonly [string, ...string[]] {
  const own = CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
  return own === undefined ? ['tenon'] : [process.execPath, own];
}
