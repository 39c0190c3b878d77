import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder, from here up, that holds an entry of this name. */
export function findUp(name: string, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return at;
    if (dirname(at) === at) return undefined;
  }
}
