/** Packs staged folders as npm would publish them. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { readJson } from '../workspace.mjs';
import { mustRun } from './run.mjs';

/**
 * @param {readonly import('./stage.mjs').Staged[]} packages @param {string} into
 * @returns {Promise<{ name: string, version: string, file: string, bytes: number }[]>}
 */
export async function packAll(packages, into) {
  mkdirSync(into, { recursive: true });
  const packed = [];
  for (const { folder } of packages) {
    const { name, version } = readJson(join(folder, 'package.json'));
    await mustRun(['npm', 'pack', folder, '--pack-destination', into, '--ignore-scripts', '--loglevel=error'], {
      cwd: into,
    });
    const file = join(into, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    packed.push({ name, version, file, bytes: statSync(file).size });
  }
  return packed;
}
