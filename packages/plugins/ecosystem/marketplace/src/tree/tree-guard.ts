/** Judges the files of a plugin one by one, before anything is written: the one gate for repositories, archives and folders. */
import { errors } from '../errors.ts';
import { collisionKey, pathProblem } from './path-rules.ts';

/** How much a plugin may be. */
export interface TreeLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** What an entry of a tree is. Everything else (devices, pipes, sockets, hard links, submodules) is refused. */
export type EntryKind = 'file' | 'link';

/** One entry as its origin announces it. */
export interface EntryHead {
  readonly path: string;
  readonly kind: EntryKind;
  readonly size: number;
  readonly executable: boolean;
}

/** Holds one tree to the rules. */
export class TreeGuard {
  readonly #what: string;
  readonly #limits: TreeLimits;
  /** Key -> path as written, of files and of the folders above them. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  readonly #links = new Map<string, string>();
  #bytes = 0;

  /** `what` names the tree in complaints. */
  constructor(what: string, limits: TreeLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** Refuses the tree. */
  refuse(reason: string): never {
    throw errors.create('MARKETPLACE_HOSTILE', { what: this.#what, reason });
  }

  /** Takes an entry in, or refuses the tree because of it. */
  add({ path, size }: EntryHead): void {
    const problem = pathProblem(path);
    if (problem !== undefined) this.refuse(problem);
    const key = collisionKey(path);
    const twin = this.#files.get(key) ?? this.#folders.get(key);
    if (twin !== undefined) this.refuse(`"${path}" and "${twin}" are the same file on some systems`);
    this.#files.set(key, path);
    if (this.#files.size > this.#limits.maxFiles) this.refuse(`it has more than ${this.#limits.maxFiles} files`);
    for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      const folderKey = collisionKey(folder);
      const other = this.#files.get(folderKey) ?? this.#folders.get(folderKey) ?? folder;
      if (other !== folder || this.#files.has(folderKey))
        this.refuse(`"${folder}" and "${other}" are the same place on some systems`);
      this.#folders.set(folderKey, folder);
    }
    this.count(size);
  }

  /** Counts bytes, announced or real. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (!(this.#bytes <= this.#limits.maxBytes))
      this.refuse(`it is larger than ${Math.floor(this.#limits.maxBytes / 1024 / 1024)} MB`);
  }

  /** Takes in where a link leads; `close` judges it, because what it leads through may come later. */
  link(path: string, target: string): void {
    if (target === '' || target.startsWith('/') || /[\p{Cc}\\]/u.test(target) || Buffer.byteLength(target) > 1_024)
      this.refuse(`the link "${path}" does not lead to a file of the plugin`);
    this.#links.set(path, target);
  }

  /** Refuses links that lead out of the tree, to nothing, or in circles. */
  close(): void {
    for (const [path, target] of this.#links) {
      const end = this.#resolve(path, target);
      if (end === undefined) this.refuse(`the link "${path}" leads out of the plugin, to nothing, or in a circle`);
    }
  }

  /** Follows a link step by step as the system would: where a link is on the way, `..` means the folder it leads to. */
  #resolve(path: string, target: string): string | undefined {
    const at = path.split('/').slice(0, -1);
    const todo = target.split('/');
    for (let steps = 0; todo.length > 0; steps++) {
      if (steps > 256) return undefined;
      const part = todo.shift();
      if (part === undefined || part === '' || part === '.') continue;
      if (part === '..') {
        if (at.pop() === undefined) return undefined;
        continue;
      }
      at.push(part);
      const here = at.join('/');
      const next = this.#links.get(here);
      if (next !== undefined) {
        at.pop();
        todo.unshift(...next.split('/'));
      } else if (todo.length > 0 && !this.#isFolder(here)) return undefined;
    }
    const end = at.join('/');
    // A link to a folder that it is in makes the tree endless.
    if (end === '' || path.startsWith(`${end}/`)) return undefined;
    return this.#isFolder(end) || this.#files.get(collisionKey(end)) === end ? end : undefined;
  }

  #isFolder(path: string): boolean {
    return this.#folders.get(collisionKey(path)) === path;
  }
}
