import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folders of the system's shared libraries: those in which the loader found the C library for Node itself. */
export function libraryFolders(): readonly string[] {
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: readonly string[] };
  const system = sharedObjects.filter((path) => /\/lib(?:c|m|stdc\+\+)\.(?:so|musl)/.test(path));
  return [...new Set(system.map((path) => dirname(realpathSync(path))))];
}
