/** Files that belong to a session: full outputs of tools, and whatever else is too long for the conversation. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '@tenon/state-files';

/** The artifacts of one session, in a folder beside its file. */
export class Artifacts {
  readonly folder: string;
  #next: Promise<number> | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Keeps content under the next number. A name without an extension is that of a log. */
  async put(name: string, content: string | Uint8Array): Promise<string> {
    const id = await this.#allocate();
    await makeFolders(this.folder, 0o700);
    const [, stem = name, extension = 'log'] = /^(.*)\.([a-z0-9]{1,5})$/.exec(name) ?? [];
    const kind = stem.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40) || 'output';
    await writeFile(join(this.folder, `${id}.${kind}.${extension}`), content, { mode: 0o600, flag: 'wx' });
    return String(id);
  }

  /** The file of an artifact. */
  async path(id: string): Promise<string | undefined> {
    const name = (await this.#names()).find((candidate) => /^\d+$/.test(id) && candidate.startsWith(`${id}.`));
    return name === undefined ? undefined : join(this.folder, name);
  }

  #allocate(): Promise<number> {
    const nextId = (this.#next ?? this.#highest()).then((highest) => highest + 1);
    this.#next = nextId;
    return nextId;
  }

  async #highest(): Promise<number> {
    const numbers = (await this.#names()).map((name) => Number(/^(\d+)\./.exec(name)?.[1] ?? -1));
    return Math.max(-1, ...numbers);
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.folder);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw fault;
    }
  }
}
