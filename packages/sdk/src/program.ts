import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The command line that comes with the SDK, seen from the built package, from one of its chunks, and from the sources. */
const CANDIDATES = ['./program.js', '../program.js', '../dist/program.js'];

/** What starts Tenon: the program beside the SDK, which is of the same version, else whatever is called `tenon` on the PATH. */
export function findProgram(): readonly [string, ...string[]] {
  const own = CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
  return own === undefined ? ['tenon'] : [process.execPath, own];
}
