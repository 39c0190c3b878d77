/** Where marketplaces and plugins come from. Addresses in catalogues are written by strangers: few kinds are let through. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { errors } from '../errors.ts';
import { pathProblem } from '../tree/path-rules.ts';

/** Where a catalogue is in a repository or folder: the file of Claude Code, else that of Codex. */
export const CATALOGUE_FILES = ['.claude-plugin/marketplace.json', '.agents/plugins/marketplace.json'] as const;

/** Where a marketplace's catalogue is. */
export type MarketplaceSource =
  | { readonly kind: 'git'; readonly url: string; readonly ref?: string }
  | { readonly kind: 'json'; readonly url: string }
  | { readonly kind: 'folder'; readonly path: string };

/** Where a plugin of a catalogue is. */
export type PluginSource =
  /** `otherwise` is where to look when there is nothing at `path`: some authors leave `metadata.pluginRoot` out of "./" paths. */
  | { readonly kind: 'path'; readonly path: string; readonly otherwise?: string }
  | { readonly kind: 'git'; readonly url: string; readonly ref?: string; readonly sha?: string; readonly path?: string }
  | { readonly kind: 'npm'; readonly package: string; readonly version?: string; readonly registry?: string }
  /** A folder or an archive of this machine, by its whole path. Only the user can name one. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'archive'; readonly path: string };

/** What addresses are judged by. */
export interface SourceRules {
  /** What OWNER/REPO is appended to. */
  readonly githubUrl: string;
  /**
   * How near an address may lead: `local` to files of this machine (what the user named, or a catalogue among them),
   * `loopback` to servers on it (a catalogue that came from one), `remote` to neither (all other catalogues).
   */
  readonly reach: 'local' | 'loopback' | 'remote';
}

/** OWNER/REPO. */
export const GITHUB_REPOSITORY = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/[A-Za-z0-9._-]{1,100}$/;
const PACKAGE = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;

function refuse(source: unknown, reason: string): never {
  const text = typeof source === 'string' ? source : JSON.stringify(source);
  throw errors.create('MARKETPLACE_SOURCE_INVALID', { source: withoutSecrets(String(text)).slice(0, 300), reason });
}

/** An address without the password that may be in it. */
function withoutSecrets(text: string): string {
  return text.replace(/(\/\/[^/\s:@]*):[^/\s@]*@/g, '$1@');
}

/** The argument of `marketplace add`. */
export function parseMarketplaceSource(text: string, rules: SourceRules, cwd: string, home: string): MarketplaceSource {
  const written = text.trim();
  if (/^(?:\.{1,2}(?:\/|$)|~\/|\/|[A-Za-z]:[\\/])/.test(written)) return localSource(written, cwd, home);
  const [, address = '', ref] = /^(.*?)(?:#([^#]*))?$/s.exec(written) ?? [];
  const pinned = ref === undefined ? {} : { ref: checkedRef(ref, written) };
  if (GITHUB_REPOSITORY.test(address)) return { kind: 'git', url: githubUrl(address, rules), ...pinned };
  if (/^https?:/i.test(address) && new URL(checkUrl(address, rules)).pathname.endsWith('.json'))
    return { kind: 'json', url: address };
  return { kind: 'git', url: checkUrl(address, rules), ...pinned };
}

function localSource(written: string, cwd: string, home: string): MarketplaceSource {
  const path = written.startsWith('~/') ? join(home, written.slice(2)) : resolve(cwd, written);
  if (!existsSync(path)) refuse(written, 'it does not exist');
  const real = realpathSync(path);
  if (statSync(real).isDirectory()) {
    // A bare repository has no files to read, only commits.
    const isBare = ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(real, name)));
    return isBare ? { kind: 'git', url: `file://${encodeURI(real)}` } : { kind: 'folder', path: real };
  }
  const file = CATALOGUE_FILES.find((name) => real.endsWith(`${sep}${name.split('/').join(sep)}`));
  if (file !== undefined) return { kind: 'folder', path: real.slice(0, -file.length - 1) };
  return refuse(written, `it is neither a folder nor a ${CATALOGUE_FILES.join(' or ')}`);
}

/** The `source` of a plugin in a catalogue. `root` is what plain names are below (`metadata.pluginRoot`). */
export function parsePluginSource(source: unknown, root: string, rules: SourceRules): PluginSource {
  if (typeof source === 'string') return pathSource(source, root);
  if (typeof source !== 'object' || source === null)
    return refuse(source ?? 'nothing', 'it is neither a text nor an object');
  const fields = source as Readonly<Record<string, unknown>>;
  const text = (key: string): string | undefined => {
    const value = fields[key];
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : refuse(source, `"${key}" is not text`);
  };
  const required = (key: string): string => text(key) ?? refuse(source, `it has no "${key}"`);
  const [ref, sha] = [text('ref'), text('sha')];
  const pinned = {
    ...(ref !== undefined && { ref: checkedRef(ref, source) }),
    ...(sha !== undefined && { sha: checkedSha(sha, source) }),
  };
  const inRepository = (url: string, written: string | undefined): PluginSource => {
    const path = written === undefined ? '' : relativePath(written, '');
    return { kind: 'git', url, ...(path !== '' && { path }), ...pinned };
  };
  switch (fields['source']) {
    case 'local':
      return pathSource(required('path'), root);
    case 'github': {
      const repo = required('repo');
      if (!GITHUB_REPOSITORY.test(repo)) refuse(source, '"repo" is not OWNER/REPO');
      return inRepository(githubUrl(repo, rules), text('path'));
    }
    case 'url':
    case 'git':
      return inRepository(checkUrl(required('url'), rules), text('path'));
    case 'git-subdir': {
      const url = required('url');
      const address = GITHUB_REPOSITORY.test(url) ? githubUrl(url, rules) : checkUrl(url, rules);
      return inRepository(address, required('path'));
    }
    case 'npm':
      return npmSource(source, required('package'), text('version'), text('registry'), rules);
    default:
      return refuse(source, 'its kind is not known');
  }
}

/** A package, if what names it can be one. */
export function npmSource(
  source: object | string,
  name: string,
  version: string | undefined,
  registry: string | undefined,
  rules: Pick<SourceRules, 'reach'>,
): PluginSource {
  if (!PACKAGE.test(name) || name.length > 214) refuse(source, '"package" is not the name of a package');
  if (version !== undefined && !/^[\w.+~^<>=|* -]{1,100}$/.test(version)) refuse(source, '"version" is not a version');
  if (registry !== undefined && !/^https?:/i.test(registry)) refuse(source, '"registry" is not an https address');
  return {
    kind: 'npm',
    package: name,
    ...(version !== undefined && { version }),
    ...(registry !== undefined && {
      registry: checkUrl(registry, { reach: rules.reach === 'remote' ? 'remote' : 'loopback' }),
    }),
  };
}

/** A path that begins with "./" is below the catalogue's folder; a plain name is below `root`. */
function pathSource(written: string, root: string): PluginSource {
  if (root === '' || !/^\.(?:\/|$)/.test(written)) return { kind: 'path', path: relativePath(written, root) };
  return { kind: 'path', path: relativePath(written, ''), otherwise: relativePath(written, root) };
}

/** A path inside a repository, without `./`; empty for its root. */
export function relativePath(written: string, root: string): string {
  if (isAbsolute(written)) refuse(written, 'it is not relative');
  const parts = `${root}/${written}`.split('/').filter((part) => part !== '' && part !== '.');
  const path = parts.join('/');
  const problem = path === '' ? undefined : pathProblem(path);
  return problem === undefined ? path : refuse(written, problem);
}

/** The address of OWNER/REPO. */
export function githubUrl(repository: string, { githubUrl: base }: Pick<SourceRules, 'githubUrl'>): string {
  return `${base.replace(/\/+$/, '')}/${repository.replace(/\.git$/, '')}.git`;
}

/** The name of a branch or tag, if it can be one. */
export function checkedRef(ref: string, source: unknown): string {
  const isFine = /^[A-Za-z0-9_][\w./+-]{0,199}$/.test(ref) && !/\.\.|\/\/|\.lock(?:\/|$)|[/.]$/.test(ref);
  return isFine ? ref : refuse(source, '"ref" is not the name of a branch or tag');
}

function checkedSha(sha: string, source: unknown): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) ? sha : refuse(source, '"sha" is not a full commit id');
}

/** True for this machine itself, to which nothing can be changed on the way. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

/** The address, if it is of a kind that cannot be changed on the way and runs nothing here. */
export function checkUrl(url: string, { reach }: Pick<SourceRules, 'reach'>): string {
  if (/[\s\p{C}\\]/u.test(url) || url.startsWith('-') || url.length > 2_000) return refuse(url, 'it is not an address');
  // The short form of ssh addresses. The user and the host must not look like an option.
  if (/^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![/-])[^:]+$/.test(url)) return url;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return refuse(url, 'it is not an address');
  }
  const { protocol, hostname, username, password } = parsed;
  if (password !== '') return refuse(url, 'it holds a password; use a credential helper of git');
  if (hostname.startsWith('-') || username.startsWith('-')) return refuse(url, 'it looks like an option');
  if (protocol === 'file:') {
    if (reach !== 'local') return refuse(url, 'a catalogue from elsewhere cannot name files of this machine');
    return hostname === '' ? url : refuse(url, 'it names another machine');
  }
  if (protocol !== 'https:' && protocol !== 'http:' && protocol !== 'ssh:')
    return refuse(url, `"${protocol}" addresses are not used`);
  if (username !== '' && protocol !== 'ssh:')
    return refuse(url, 'it holds a user name; use a credential helper of git');
  const isHere = isLoopback(hostname);
  if (isHere && reach === 'remote')
    return refuse(url, 'a catalogue from elsewhere cannot name servers on this machine');
  return protocol === 'http:' && !isHere ? refuse(url, 'http can be changed on the way; use https') : url;
}

/** How near the addresses of a catalogue may lead that came from this source. */
export function reachOf(source: MarketplaceSource): SourceRules['reach'] {
  if (source.kind === 'folder' || source.url.startsWith('file:')) return 'local';
  const host = /^[a-z]+:\/\//i.test(source.url) ? new URL(source.url).hostname : '';
  return isLoopback(host) ? 'loopback' : 'remote';
}

/** The owner on the default git host, if the source is there. */
export function ownerOf(
  source: MarketplaceSource,
  { githubUrl: base }: Pick<SourceRules, 'githubUrl'>,
): string | undefined {
  if (source.kind !== 'git') return undefined;
  const prefix = `${base.replace(/\/+$/, '')}/`;
  const host = new URL(base).hostname;
  const rest = source.url.startsWith(prefix)
    ? source.url.slice(prefix.length)
    : source.url.startsWith(`git@${host}:`)
      ? source.url.slice(host.length + 5)
      : undefined;
  return rest?.split('/')[0];
}

/** A source as people read it. */
export function sourceText(source: MarketplaceSource | PluginSource): string {
  switch (source.kind) {
    case 'git': {
      const { url, ref } = source;
      const path = 'path' in source && source.path !== undefined ? `/${source.path}` : '';
      return `${url}${path}${ref === undefined ? '' : `#${ref}`}`;
    }
    case 'json':
      return source.url;
    case 'npm':
      return `npm:${source.package}${source.version === undefined ? '' : `@${source.version}`}`;
    default:
      return source.path === '' ? '.' : source.path;
  }
}
