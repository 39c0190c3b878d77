import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The names a settings file can have, the first one found is used. JSON is YAML, so a JSON file is read as it is. */
const NAMES = ['settings.yml', 'settings.yaml', 'settings.json'] as const;

/** A settings file to read, and the one to write: they differ while settings are still in a JSON file. */
export interface SettingsLocation {
  readonly read: string;
  readonly write: string;
}

/** The settings file of a folder, whether it exists or not. */
export function settingsIn(folder: string): SettingsLocation {
  const name = NAMES.find((candidate) => existsSync(join(folder, candidate))) ?? NAMES[0];
  const write = name === 'settings.json' ? NAMES[0] : name;
  return { read: join(folder, name), write: join(folder, write) };
}

/**
 * The project's settings: the nearest `.tenon` folder with a settings file, from the working folder up to the
 * repository's root; where there is none yet, the one that would be made. Outside of a repository only the working
 * folder counts: further up a folder may be anybody's.
 */
export function projectSettings(cwd: string): SettingsLocation & { readonly exists: boolean } {
  const root = repositoryRoot(cwd);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const location = settingsIn(join(folder, '.tenon'));
    if (existsSync(location.read)) return { ...location, exists: true };
    if (folder === (root ?? cwd) || dirname(folder) === folder) break;
  }
  return { ...settingsIn(join(root ?? cwd, '.tenon')), exists: false };
}

function repositoryRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
