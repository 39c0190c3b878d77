/** Whether names that a command lists stay what they are where the shell or xargs makes words of them. */
import { readdirSync } from 'node:fs';

/** Blanks, quotes and backslashes make several words or another word of a name, and a dash in front makes a flag of it. */
const ODD_NAME = /[\s'"\\]|^-/;
/** Blanks in the folders above would be in what is listed, too. */
const ODD_PATH = /[\s'"\\]|\/-/;
/** Git chooses the names in its folder itself. Who could choose one in `node_modules` has code there that every task runs. */
const UNSEEN = /^(\.git|node_modules)$/;
const MAX_ENTRIES = 30_000;

/** Looks at what is on the disk, once for every folder. Too many names count as odd. */
export class ListedNames {
  readonly #known = new Map<string, boolean>();

  /** Whether every name below these folders is one word, and no flag. */
  areWords(folders: readonly string[]): boolean {
    return folders.every((folder) => {
      const known = this.#known.get(folder) ?? areWordsBelow(folder);
      this.#known.set(folder, known);
      return known;
    });
  }
}

function areWordsBelow(root: string): boolean {
  if (ODD_PATH.test(root)) return false;
  const open = [root];
  let left = MAX_ENTRIES;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      if (left-- <= 0 || ODD_NAME.test(entry.name)) return false;
      if (entry.isDirectory() && !UNSEEN.test(entry.name)) open.push(`${folder}/${entry.name}`);
    }
  }
  return true;
}

function entriesOf(folder: string): readonly { readonly name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // A file, nothing, or closed to whoever lists it, too.
  }
}
