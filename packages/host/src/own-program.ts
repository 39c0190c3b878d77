/** How this very Tenon is started again. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program, seen from one of its chunks, from the SDK's, and from the sources. */
const CANDIDATES = ['./main.js', '../main.js', './program.js', '../program.js', '../../cli/dist/main.js'];

/** The words that start Tenon: the program that this code is part of, so that both have one version; else the one in PATH. */
export function ownProgram(nodeFlags: readonly string[] = []): readonly [string, ...string[]] {
  const file = CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
  return file === undefined ? ['tenon'] : [process.execPath, ...nodeFlags, file];
}
