import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The folder of the TypeScript loader, which every host must see. */
export function loaderFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('jiti/package.json'));
}
