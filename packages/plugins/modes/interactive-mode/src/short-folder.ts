import { homedir } from 'node:os';
import { isInside } from '@tenon/host';

/** A folder as people write it: below the home folder it begins with `~`. */
export function shortFolder(folder: string, home: string = homedir()): string {
  return home !== '' && isInside(folder, home) ? `~${folder.slice(home.length)}` : folder;
}
