/**
 * Repositories that were fetched, kept bare: files are read from commits and never checked out, so no filter, hook or link
 * of a repository comes into play, and what was fetched once can be read again without the network.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '@tenon/state-files';
import { errors } from '../errors.ts';
import { sha256 } from '../tree/file-list.ts';
import type { TreeEntry } from '../tree/write-tree.ts';
import { failed, type GitCall, git, lastWords, readBlobs, runGit } from './git-process.ts';

/** What of a repository is wanted. */
export interface Wanted {
  readonly url: string;
  readonly ref?: string;
  readonly sha?: string;
}

/** How to get it. */
export interface FetchOptions {
  readonly signal: AbortSignal;
  /** True to use only what is here. */
  readonly offline: boolean;
}

/** One file or folder in a commit. */
interface TreeLine {
  readonly mode: string;
  readonly type: string;
  readonly oid: string;
  readonly size: number;
  readonly path: string;
}

/** All repositories of a user. */
export class GitCache {
  readonly #folder: string;
  readonly #maxBytes: number;

  /** `maxBytes` is how large a repository may become. */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** The commit that is wanted, fetched if it is not here. */
  async commit(wanted: Wanted, options: FetchOptions): Promise<string> {
    const { url, ref, sha } = wanted;
    const repository = this.#place(url);
    if (sha !== undefined && (await this.#has(repository, url, sha, options.signal))) return sha;
    if (options.offline) {
      const known = sha === undefined ? await this.#known(repository, url, ref, options.signal) : undefined;
      if (known !== undefined) return known;
      throw errors.create('MARKETPLACE_OFFLINE', { what: `${url}${(sha ?? ref) ? ` (${sha ?? ref})` : ''}` });
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return withLock(`${repository}.fetch`, async () => {
      await this.#open(repository, url, options.signal);
      const fetched =
        sha === undefined
          ? this.#fetch(repository, url, ref ?? 'HEAD', options.signal)
          : this.#fetchCommit(repository, url, sha, options.signal);
      const [outcome] = await Promise.allSettled([fetched]);
      // A quick server is done before anybody looks; a slow one was stopped, and what has come by then is still there.
      const reason = await this.#oversize(repository);
      if (reason === undefined) return fetched;
      await rm(repository, { recursive: true, force: true });
      throw outcome.status === 'rejected' ? outcome.reason : failed({ what: 'fetch', url }, reason);
    });
  }

  /** The commit that a branch or tag has at its server now. */
  async remoteCommit({ url, ref }: Wanted, signal: AbortSignal): Promise<string> {
    const call = { what: 'ask', url, signal, maxOutput: 1024 * 1024 };
    const names = ref === undefined ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`, `refs/tags/${ref}^{}`];
    const repository = this.#place(url);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await withLock(`${repository}.fetch`, () => this.#open(repository, url, signal));
    const out = await git(repository, { ...call, args: ['ls-remote', '--', url, ...names] });
    const lines = out.toString().trim().split('\n').filter(Boolean);
    // The commit of an annotated tag is the one with ^{}.
    const line = lines.findLast((candidate) => candidate.endsWith('^{}')) ?? lines[0];
    const commit = line?.split('\t')[0];
    if (commit === undefined) throw failed(call, `it has no branch or tag "${ref ?? 'HEAD'}"`);
    return commit;
  }

  /** One file of a commit; nothing when there is none. */
  async file(
    url: string,
    commit: string,
    path: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    const lines = await this.#list(url, commit, path, [], signal);
    const [line] = lines;
    if (line === undefined) return undefined;
    if (line.type !== 'blob' || line.mode === '120000' || lines.length > 1)
      throw errors.create('MARKETPLACE_HOSTILE', { what: url, reason: `"${path}" is not a plain file` });
    if (line.size > maxBytes)
      throw errors.create('MARKETPLACE_HOSTILE', { what: url, reason: `"${path}" is larger than ${maxBytes} bytes` });
    const call = { what: 'read', url, signal, maxOutput: maxBytes };
    return git(this.#place(url), { ...call, args: ['cat-file', 'blob', line.oid] });
  }

  /** What identifies the content of a folder of a commit; nothing when there is no such folder. */
  async folderId(url: string, commit: string, path: string, signal: AbortSignal): Promise<string | undefined> {
    if (path === '') {
      const args = ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`];
      return (await git(this.#place(url), { what: 'read', url, signal, args })).toString().trim();
    }
    const [line] = await this.#list(url, commit, path, ['-d'], signal);
    return line?.type === 'tree' ? line.oid : undefined;
  }

  /** The submodule that a path is, or lies in; nothing when there is none. */
  async #submoduleAt(url: string, commit: string, path: string, signal: AbortSignal): Promise<string | undefined> {
    const parts = path.split('/');
    for (const end of parts.keys()) {
      const above = parts.slice(0, end + 1).join('/');
      const [line] = await this.#list(url, commit, above, [], signal);
      if (line?.type === 'commit') return above;
    }
    return undefined;
  }

  /** The files of a folder of a commit. `skipped` gets the submodules that are left out. */
  async *entries(
    url: string,
    commit: string,
    path: string,
    what: string,
    signal: AbortSignal,
    skipped: string[] = [],
  ): AsyncGenerator<TreeEntry> {
    const refuse = (reason: string) => errors.create('MARKETPLACE_HOSTILE', { what, reason });
    const folder = await this.folderId(url, commit, path, signal);
    if (folder === undefined) {
      const submodule = await this.#submoduleAt(url, commit, path, signal);
      const reason = `its source "${path}" is in the submodule "${submodule}", another repository that nobody agreed to`;
      throw refuse(submodule === undefined ? `its repository has no folder "${path}"` : reason);
    }
    const call: GitCall = { what: 'read', url, signal, args: ['ls-tree', '-r', '-z', '-l', '--full-tree', folder] };
    const all = parseLines(await git(this.#place(url), call), refuse);
    const isSubmodule = ({ type, mode }: TreeLine) => mode === '160000' || type === 'commit';
    for (const { path: name } of all.filter(isSubmodule)) {
      // A whole repository as a plugin may have submodules that are none of the plugin's business; in a folder made for it they are.
      if (path !== '') throw refuse(`${JSON.stringify(name)} is a submodule`);
      skipped.push(name);
    }
    const lines = all.filter((line) => !isSubmodule(line));
    for (const { type, path: name } of lines) {
      if (type !== 'blob') throw refuse(`${JSON.stringify(name)} is of the unknown kind ${type}`);
    }
    const blobs = readBlobs(
      this.#place(url),
      { what: 'read', url, signal },
      lines.map(({ oid }) => oid),
    );
    try {
      for (const { size, mode, path: name } of lines) {
        const kind = mode === '120000' ? 'link' : 'file';
        yield { path: name, kind, executable: mode === '100755', size, bytes: blobs.next(size) };
      }
    } finally {
      await blobs.close();
    }
  }

  #place(url: string): string {
    return join(this.#folder, `${sha256(url).slice(0, 32)}.git`);
  }

  async #open(repository: string, url: string, signal: AbortSignal): Promise<void> {
    if (existsSync(join(repository, 'HEAD'))) return;
    const fresh = `${repository}.${process.pid}-${randomBytes(4).toString('hex')}`;
    try {
      await git(fresh, { what: 'prepare for', url, signal, args: ['init', '--quiet', '--bare', '--template=', fresh] });
      await rename(fresh, repository);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }

  /** Whether a commit is here. */
  has(url: string, commit: string, signal: AbortSignal): Promise<boolean> {
    return this.#has(this.#place(url), url, commit, signal);
  }

  async #has(repository: string, url: string, commit: string, signal: AbortSignal): Promise<boolean> {
    if (!existsSync(repository)) return false;
    const args = ['cat-file', '-e', `${commit}^{commit}`];
    return (await runGit(repository, { what: 'look into', url, signal, args })).code === 0;
  }

  /** The commit that a branch had when it was last fetched. */
  async #known(repository: string, url: string, ref = 'HEAD', signal: AbortSignal): Promise<string | undefined> {
    if (!existsSync(repository)) return undefined;
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${keptName(ref)}^{commit}`];
    const { code, out } = await runGit(repository, { what: 'look into', url, signal, args });
    return code === 0 ? out.toString().trim() : undefined;
  }

  async #fetch(repository: string, url: string, ref: string, signal: AbortSignal): Promise<string> {
    await this.#download(repository, url, [`+${ref}:${keptName(ref)}`], ['--depth=1'], signal);
    const commit = await this.#known(repository, url, ref, signal);
    if (commit === undefined) throw failed({ what: 'fetch', url }, `"${ref}" is not a commit`);
    return this.#keep(repository, url, commit, signal);
  }

  async #fetchCommit(repository: string, url: string, sha: string, signal: AbortSignal): Promise<string> {
    const args = ['fetch', '--quiet', '--no-tags', '--force', '--depth=1', '--', url, sha];
    const { code, err } = await runGit(repository, { ...this.#call(repository, url, signal), args });
    // Some servers give whole branches only.
    if (code !== 0 && /not our ref|unadvertised object|not advertised/i.test(err)) {
      await this.#download(
        repository,
        url,
        ['+refs/heads/*:refs/tenon/heads/*', '+refs/tags/*:refs/tenon/tags/*'],
        [],
        signal,
      );
    } else if (code !== 0) throw failed({ what: 'fetch', url }, lastWords(err));
    if (await this.#has(repository, url, sha, signal)) return this.#keep(repository, url, sha, signal);
    throw errors.create('MARKETPLACE_COMMIT_MISSING', { url, commit: sha });
  }

  async #download(
    repository: string,
    url: string,
    refs: string[],
    flags: string[],
    signal: AbortSignal,
  ): Promise<void> {
    const args = ['fetch', '--quiet', '--no-tags', '--force', '--update-head-ok', ...flags, '--', url, ...refs];
    await git(repository, { ...this.#call(repository, url, signal), args });
  }

  #call(repository: string, url: string, signal: AbortSignal) {
    return { what: 'fetch', url, signal, watch: () => this.#oversize(repository) };
  }

  async #oversize(repository: string): Promise<string | undefined> {
    const megabytes = Number((this.#maxBytes / 1024 / 1024).toFixed(1));
    return (await folderSize(repository)) > this.#maxBytes ? `it is larger than ${megabytes} MB` : undefined;
  }

  /** Gives a commit a name, so that it stays when its branch moves on. */
  async #keep(repository: string, url: string, commit: string, signal: AbortSignal): Promise<string> {
    await git(repository, { what: 'keep', url, signal, args: ['update-ref', `refs/tenon/kept/${commit}`, commit] });
    return commit;
  }

  async #list(url: string, commit: string, path: string, flags: string[], signal: AbortSignal): Promise<TreeLine[]> {
    const args = ['ls-tree', '-z', '-l', '--full-tree', ...flags, commit, '--', path];
    const call = { what: 'read', url, signal, args };
    return parseLines(await git(this.#place(url), call), (reason) =>
      errors.create('MARKETPLACE_HOSTILE', { what: url, reason }),
    );
  }
}

function keptName(ref: string): string {
  return `refs/tenon/fetched/${ref}`;
}

/** Lines `MODE TYPE OID SIZE\tPATH`, each ended by NUL. */
function parseLines(out: Buffer, refuse: (reason: string) => Error): TreeLine[] {
  const lines: TreeLine[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(0, at);
    const tab = out.indexOf(0x09, at);
    const [mode = '', type = '', oid = '', size = ''] = out.subarray(at, tab).toString('latin1').split(/ +/);
    let path: string;
    try {
      path = decoder.decode(out.subarray(tab + 1, end));
    } catch {
      throw refuse('it has a path that is not valid Unicode');
    }
    lines.push({ mode, type, oid, size: /^\d+$/.test(size) ? Number(size) : 0, path });
    at = end + 1;
  }
  return lines;
}

async function folderSize(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    names
      .filter((entry) => entry.isFile())
      .map(async (entry) =>
        // Temporary files come and go while git works.
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
