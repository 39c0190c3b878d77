/** The workspaces of this process, and which folder belongs to which. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Folders, isInside } from '@tenon/host';
import { errors } from './errors.ts';
import { realFolder } from './git-facts.ts';
import { storeFolder, Workspace, type WorkspaceOptions } from './workspace.ts';

/** Finds workspaces by folder. */
export class Workspaces {
  readonly #folders: Folders;
  readonly #options: WorkspaceOptions;
  readonly #open = new Map<string, Workspace>();

  constructor(folders: Folders, options: WorkspaceOptions) {
    this.#folders = folders;
    this.#options = options;
  }

  /** The workspace that a session in this folder works in. A home folder is none: it holds everything. */
  async of(cwd: string): Promise<Workspace> {
    const root = await realFolder(cwd);
    const refuse = (reason: string) => errors.create('UNDO_NO_WORKSPACE', { folder: cwd, reason });
    if (root === undefined) throw refuse('there is no such folder');
    const home = await realFolder(this.#folders.home);
    if (root === dirname(root) || (home !== undefined && isInside(home, root))) {
      throw refuse('it is the home folder, or holds it');
    }
    const known = this.#open.get(root);
    if (known) return known;
    const { config, data, state, cache } = this.#folders;
    const own = await Promise.all([config, data, state, cache].map(async (path) => (await realFolder(path)) ?? path));
    if (own.some((path) => isInside(root, path))) throw refuse("it is one of Tenon's own");
    const workspace = new Workspace(root, storeFolder(state, root), own, this.#options);
    this.#open.set(root, workspace);
    return workspace;
  }

  /** The workspace that a person means who stands in this folder: the nearest one upward for which something is kept. */
  async around(cwd: string): Promise<Workspace> {
    const kept = await this.#kept();
    const start = await realFolder(cwd);
    for (let folder = start; folder !== undefined && folder !== dirname(folder); folder = dirname(folder)) {
      if (kept.has(folder)) return this.of(folder);
    }
    return this.of(cwd);
  }

  /** Ends what runs beside calls. */
  close(): void {
    for (const workspace of this.#open.values()) workspace.close();
  }

  /** The roots of all stores. */
  async #kept(): Promise<ReadonlySet<string>> {
    const folder = join(this.#folders.state, 'undo');
    const roots = new Set<string>();
    for (const name of await readdir(folder).catch(() => [])) {
      const text = await readFile(join(folder, name, 'workspace.json'), 'utf8').catch(() => undefined);
      const root = /^\{"root":(".*")\}$/m.exec(text ?? '')?.[1];
      if (root !== undefined) roots.add(JSON.parse(root) as string);
    }
    return roots;
  }
}
