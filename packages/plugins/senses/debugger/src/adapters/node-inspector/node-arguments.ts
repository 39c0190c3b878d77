/** What Node needs to run a file: types are not JavaScript for every version. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Companion } from '../../companion/companion.ts';

const TYPED = new Set(['.ts', '.mts', '.cts', '.tsx', '.jsx']);
/** From 22.18 on, Node takes types off by itself. */
const STRIPS_TYPES =
  "const [a, b] = process.versions.node.split('.').map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)";
const ASK_MS = 10_000;

/** Arguments for Node before the file. Throws when the file cannot be run. */
export async function nodeArguments(
  program: string,
  cwd: string,
  node: readonly string[],
  companion: Companion,
): Promise<string[]> {
  const extension = extname(program);
  if (!TYPED.has(extension)) return [];
  const tsx = findModule('tsx', [dirname(program), cwd]);
  if (tsx !== undefined) return ['--import', 'tsx'];
  if (!extension.endsWith('x') && (await companion.succeeds([...node, '-e', STRIPS_TYPES], cwd, ASK_MS))) return [];
  throw new Error(
    `this Node cannot run ${extension} files, and the package tsx is not installed here; install tsx, or compile the file with source maps and launch the .js file`,
  );
}

function findModule(name: string, folders: readonly string[]): string | undefined {
  for (const start of folders) {
    for (let folder = start; ; folder = dirname(folder)) {
      const path = join(folder, 'node_modules', name, 'package.json');
      if (existsSync(path)) return path;
      if (dirname(folder) === folder) break;
    }
  }
  return undefined;
}
