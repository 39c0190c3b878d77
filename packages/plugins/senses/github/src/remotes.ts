/** Which repository of which server a folder belongs to, by the remotes of git. */
import { runGit } from '@tenon/host';
import type { RepoName } from './things.ts';

/** A repository on a server. */
export interface Remote extends RepoName {
  /** As people write it, with a port if it is not the usual one. */
  readonly host: string;
  /** The name of the remote in git; absent when it was not found in one. */
  readonly remote?: string;
  /** How git reaches it. */
  readonly protocol?: 'https' | 'http' | 'ssh';
}

const PREFERRED = ['upstream', 'github', 'origin'];
const PART = /^[\w.-]+$/;

/** A name that no server and no path takes for something else. */
export function isRepoName({ owner, name }: RepoName): boolean {
  const parts = [...owner.split('/'), name];
  return parts.every(
    (part) => PART.test(part) && !/^\.{1,2}$/.test(part) && !part.startsWith('-') && part.length <= 100,
  );
}

/** Reads the address of a remote: `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name`. */
export function parseRemote(address: string): Remote | undefined {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/)(.+)$/.exec(address);
  if (!address.includes('://')) return scp ? remoteOf('ssh', scp[1] ?? '', scp[2] ?? '') : undefined;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const protocol = url.protocol.replace(/:$/, '').replace(/^git\+/, '');
  if (protocol !== 'https' && protocol !== 'http' && protocol !== 'ssh') return undefined;
  // The port of SSH is none of the web.
  return remoteOf(protocol, protocol === 'ssh' ? url.hostname : url.host, decodeURIComponent(url.pathname));
}

function remoteOf(protocol: 'https' | 'http' | 'ssh', host: string, path: string): Remote | undefined {
  const parts = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/');
  const name = parts.pop() ?? '';
  const owner = parts.join('/');
  const lower = host.toLowerCase().replace(/^ssh\.(?=github\.com$)/, '');
  return lower !== '' && isRepoName({ owner, name }) ? { host: lower, owner, name, protocol } : undefined;
}

/** All remotes of a folder that lead to a server, the one that counts first. */
export async function remotesOf(folder: string, signal?: AbortSignal): Promise<readonly Remote[]> {
  const run = await runGit(folder, ['config', '-z', '--get-regexp', String.raw`^remote\..*\.(url|gh-resolved)$`], {
    signal,
  });
  signal?.throwIfAborted();
  const settings = run.out.split('\0').flatMap((entry) => {
    const [, name = '', key = '', value = ''] = /^remote\.([^\n]*)\.(url|gh-resolved)\n([^]*)$/.exec(entry) ?? [];
    return name === '' ? [] : [{ name, key, value }];
  });
  // The user has told `gh` which one is the base.
  const chosen = settings.find(({ key }) => key === 'gh-resolved')?.name;
  const rank = (name: string) => (name === chosen ? -1 : (PREFERRED.indexOf(name) + 10) % 10);
  return settings
    .filter(({ key }) => key === 'url')
    .toSorted((left, right) => rank(left.name) - rank(right.name))
    .flatMap(({ name, value }) => {
      const remote = parseRemote(value);
      return remote ? [{ ...remote, remote: name }] : [];
    });
}

/** The branch that is checked out; undefined when none is. */
export async function currentBranch(folder: string, signal?: AbortSignal): Promise<string | undefined> {
  const run = await runGit(folder, ['symbolic-ref', '--short', '-q', 'HEAD'], { signal });
  signal?.throwIfAborted();
  return run.code === 0 ? run.out.trim() || undefined : undefined;
}
