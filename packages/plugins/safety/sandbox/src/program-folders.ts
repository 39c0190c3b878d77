/** Folders with programs and texts that the user has installed: skills and plugins. Commands may read and run what is there. */
import { statSync } from 'node:fs';
import { isInside } from '@tenon/host';
import { slot } from '@tenon/kernel';
import { real } from './paths.ts';
import { onMachine, type Places } from './places/protected-places.ts';

/** Names such folders. Only what the user has put there counts: a project cannot add to it. */
export interface ProgramFolders {
  folders(cwd: string): Promise<readonly string[]>;
}

/** Who knows folders of programs. */
export const programFolders = slot<ProgramFolders>('program-folders');

/** What must not be shown together with a folder. */
export interface HiddenAround {
  readonly home: string;
  /** Tenon's own folders. */
  readonly own: readonly string[];
  places(): Places;
}

/**
 * The folders that can be shown, as real paths. Their parents stay hidden, so one that is, or holds, a protected place is left
 * out, and one among credentials, too: a link may lead anywhere.
 */
export async function foldersToShow(
  sources: readonly ProgramFolders[],
  cwd: string,
  { home, own, places }: HiddenAround,
): Promise<readonly string[]> {
  const named = (await Promise.all(sources.map((source) => source.folders(cwd)))).flat();
  const { secrets, private: accounts } = places();
  const credentials = onMachine(secrets, home).flatMap(real);
  const kept = [...credentials, ...[...onMachine(accounts, home), ...own, home].flatMap(real)];
  return [...new Set(named.flatMap(real))].filter(
    (folder) =>
      statSync(folder).isDirectory() &&
      !kept.some((path) => isInside(path, folder)) &&
      !credentials.some((path) => isInside(folder, path)),
  );
}
