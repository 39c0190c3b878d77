/**
 * Where the user's repository stood: HEAD, branches, the newest stash, and a copy of the index. Only ever read, and never by
 * running git, which may run programs that a repository configures. Undo says what moved and how to move it back.
 */
import { lstat, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { replaceFile } from '@tenon/state-files';
import { hashOf } from './blob-store.ts';

/** Where a repository stood. */
export interface GitFacts {
  /** `refs/heads/main`, or a commit when no branch is checked out. */
  readonly head: string;
  readonly commit?: string;
  /** Branches and the stash by their full names. */
  readonly refs: Readonly<Record<string, string>>;
  /** The name of the copy of the index. */
  readonly index?: string;
}

const MAX_REFS = 2000;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** Reads where the repository of a folder stands; nothing where there is none. */
export async function readGitFacts(root: string, copies: string): Promise<GitFacts | undefined> {
  const places = await gitFolders(root);
  if (!places) return undefined;
  const head = (await text(join(places.own, 'HEAD')))?.trim();
  if (head === undefined) return undefined;
  const packed = packedRefs(await text(join(places.common, 'packed-refs')));
  const loose = await looseRefs(places.common);
  const refs = Object.fromEntries(
    Object.entries({ ...packed, ...loose })
      .filter(([name]) => name.startsWith('refs/heads/') || name === 'refs/stash')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MAX_REFS),
  );
  const name = head.startsWith('ref: ') ? head.slice(5) : head;
  const commit = head.startsWith('ref: ') ? refs[name] : head;
  const index = await copyIndex(join(places.own, 'index'), copies);
  return { head: name, ...(commit !== undefined && { commit }), refs, ...(index !== undefined && { index }) };
}

/** The repository's own folder, and the one that work trees share. */
async function gitFolders(root: string): Promise<{ readonly own: string; readonly common: string } | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) return { own: path, common: path };
    if (found?.isFile()) {
      const link = /^gitdir: (.+)$/m.exec((await text(path)) ?? '')?.[1];
      if (link === undefined) return undefined;
      const own = resolve(folder, link.trim());
      const common = await text(join(own, 'commondir'));
      return { own, common: common === undefined ? own : resolve(own, common.trim()) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

async function looseRefs(common: string): Promise<Record<string, string>> {
  const refs: Record<string, string> = {};
  const folders = ['refs/heads'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(common, folder), { withFileTypes: true }).catch(() => [])) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else if (Object.keys(refs).length < MAX_REFS) {
        const commit = (await text(join(common, name)))?.trim();
        if (commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit)) refs[name] = commit;
      }
    }
  }
  const stash = (await text(join(common, 'refs/stash')))?.trim();
  return stash !== undefined && /^[0-9a-f]{40,64}$/.test(stash) ? { ...refs, 'refs/stash': stash } : refs;
}

function packedRefs(content: string | undefined): Record<string, string> {
  const lines = (content ?? '').split('\n').map((line) => /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line));
  return Object.fromEntries(lines.flatMap((match) => (match?.[1] && match[2] ? [[match[2], match[1]]] : [])));
}

const copied = new Map<string, { readonly stamp: string; readonly name: string }>();

/** Copies the index under the name of its content; a copy that is there is not written again. */
async function copyIndex(file: string, copies: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  if (!found?.isFile() || found.size > BigInt(MAX_INDEX_BYTES)) return undefined;
  const stamp = [found.size, found.mtimeNs, found.ctimeNs, found.ino].join(' ');
  const key = `${copies}\0${file}`;
  const known = copied.get(key);
  if (known?.stamp === stamp && (await stat(join(copies, known.name)).catch(() => undefined))) return known.name;
  const content = await readFile(file).catch(() => undefined);
  if (!content) return undefined;
  const name = hashOf(content).slice(0, 32);
  if (!(await stat(join(copies, name)).catch(() => undefined))) {
    await mkdir(copies, { recursive: true, mode: 0o700 });
    await replaceFile(join(copies, name), content, { flush: false, followLinks: false });
  }
  copied.set(key, { stamp, name });
  return name;
}

/** Removes copies that no record names. */
export async function sweepIndexCopies(copies: string, inUse: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(copies).catch(() => [])) {
    if (!inUse.has(name)) await rm(join(copies, name), { force: true });
  }
}

async function text(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined); // Absent or out of reach: there is nothing to tell.
}

/** One thing that moved, and the command that moves it back. */
export interface GitNote {
  readonly what: string;
  readonly command?: string;
}

/** What a call did to the repository. Tenon never touches it; the user decides. */
export function gitNotes(before: GitFacts, after: GitFacts, copies: string): GitNote[] {
  const short = (commit: string | undefined) => commit?.slice(0, 10) ?? 'nothing';
  const branch = (ref: string) => ref.replace(/^refs\/heads\//, '');
  const notes: GitNote[] = [];
  if (before.head !== after.head) {
    const isBranch = before.head.startsWith('refs/');
    notes.push({
      what: `HEAD was ${isBranch ? `on ${branch(before.head)}` : `at ${short(before.head)}`}, and is now ${
        after.head.startsWith('refs/') ? `on ${branch(after.head)}` : `at ${short(after.head)}`
      }`,
      command: isBranch ? `git symbolic-ref HEAD ${before.head}` : `git update-ref --no-deref HEAD ${before.head}`,
    });
  }
  for (const name of new Set([...Object.keys(before.refs), ...Object.keys(after.refs)])) {
    const [was, is] = [before.refs[name], after.refs[name]];
    if (was === is) continue;
    if (name === 'refs/stash') {
      const isDropped = was !== undefined;
      notes.push({
        what: isDropped
          ? `the newest stash was ${short(was)}, and is now ${short(is)}`
          : `a stash was made: ${short(is)}`,
        ...(isDropped && { command: `git stash store -m restored ${was}` }),
      });
    } else if (was === undefined) {
      notes.push({
        what: `the branch ${branch(name)} was made at ${short(is)}`,
        command: `git branch -D ${branch(name)}`,
      });
    } else {
      const isCurrent = name === after.head;
      notes.push({
        what:
          is === undefined
            ? `the branch ${branch(name)} was deleted (it was at ${short(was)})`
            : `${branch(name)} moved from ${short(was)} to ${short(is)}`,
        command: isCurrent ? `git reset --soft ${was}` : `git branch -f ${branch(name)} ${was}`,
      });
    }
  }
  if (before.index !== after.index && before.index !== undefined) {
    notes.push({
      what: "git's index changed",
      command: `cp ${join(copies, before.index)} "$(git rev-parse --git-path index)"`,
    });
  }
  return notes;
}

/** Whether two moments of a repository are the same. */
export function isSameGit(left: GitFacts | undefined, right: GitFacts | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The canonical form of a folder, or nothing where there is none. */
export async function realFolder(folder: string): Promise<string | undefined> {
  try {
    const path = await realpath(folder);
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch {
    return undefined; // Whoever asks says what is missing.
  }
}
