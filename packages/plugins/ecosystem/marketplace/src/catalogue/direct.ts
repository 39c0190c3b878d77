/** Plugins that the user names by where they are, without a marketplace: `npm:NAME`, a git address, an archive, a folder. */
import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errors } from '../errors.ts';
import type { Market } from '../marketplaces.ts';
import type { Pin } from '../store/pins.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { idText, nameProblem, parseId } from './names.ts';
import {
  checkedRef,
  checkUrl,
  GITHUB_REPOSITORY,
  githubUrl,
  npmSource,
  type PluginSource,
  type SourceRules,
} from './sources.ts';

/** What is to be installed. */
export interface Target {
  readonly id: string;
  readonly market: Market;
  readonly entry: CatalogueEntry;
}

/** Stand behind the @ of such plugins. No marketplace can have these names. */
const ORIGINS = ['npm', 'git', 'file'] as const;

/** True for a plugin that came from no marketplace. */
export function isDirect(id: string): boolean {
  return ORIGINS.some((origin) => origin === parseId(id).marketplace);
}

/** What the user named; nothing when it is the name of a plugin in a marketplace. */
export function directTarget(
  text: string,
  rules: Pick<SourceRules, 'githubUrl'>,
  cwd: string,
  home: string,
): Target | undefined {
  if (text.startsWith('npm:')) return fromNpm(text);
  if (/\.(?:tgz|tar\.gz)$/.test(text) && !text.includes('://')) return fromFile(text, cwd, home);
  if (/^(?:\.{1,2}(?:\/|$)|~\/|\/)/.test(text)) return fromFile(text, cwd, home);
  return fromGit(text, rules);
}

/** Where an installed one comes from, to look for a newer state. */
export function targetOf(id: string, pin: Pin): Target {
  const { name, marketplace = '' } = parseId(id);
  switch (pin.kind) {
    case 'npm': {
      const { package: packageName, range, registry } = pin;
      const more = { ...(range !== undefined && { version: range }), ...(registry !== undefined && { registry }) };
      return target(name, marketplace, { kind: 'npm', package: packageName, ...more });
    }
    case 'git': {
      const { url, ref, path } = pin;
      const more = { ...(ref !== undefined && { ref }), ...(path !== undefined && { path }) };
      return target(name, marketplace, { kind: 'git', url, ...more });
    }
    case 'archive':
      return target(name, marketplace, { kind: 'archive', path: pin.path });
    default:
      return target(name, marketplace, { kind: 'folder', path: pin.path });
  }
}

function target(name: string, marketplace: string, source: PluginSource): Target {
  const reason = nameProblem(name);
  if (reason !== undefined) throw errors.create('MARKETPLACE_NAME_INVALID', { name, what: 'plugin', reason });
  // What the user names may be on this machine, like a marketplace that is a folder.
  const record = { source: { kind: 'folder', path: '/' }, addedAt: '', updatedAt: '' } as const;
  return {
    id: idText({ name, marketplace }),
    market: { name: marketplace, scope: 'user', record },
    entry: { name, source, tags: [], strict: true, components: {} },
  };
}

/** A name as ids allow it. */
function plainName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
}

function fromNpm(text: string): Target {
  const [, name = '', version] = /^npm:(@?[^@]+)(?:@(.+))?$/.exec(text) ?? [];
  return target(plainName(name), 'npm', npmSource(text, name, version, undefined, { reach: 'local' }));
}

function fromFile(text: string, cwd: string, home: string): Target {
  const path = text.startsWith('~/') ? join(home, text.slice(2)) : resolve(cwd, text);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw errors.create('MARKETPLACE_SOURCE_INVALID', { source: text, reason: 'it does not exist' });
  const real = realpathSync(path);
  const base = real.split(/[/\\]/).at(-1) ?? '';
  if (stats.isDirectory()) return target(plainName(base), 'file', { kind: 'folder', path: real });
  // `npm pack` appends the version.
  const name = base.replace(/\.(?:tgz|tar\.gz)$/, '').replace(/-\d+\.\d+\.\d+.*$/, '');
  return target(plainName(name), 'file', { kind: 'archive', path: real });
}

function fromGit(text: string, rules: Pick<SourceRules, 'githubUrl'>): Target | undefined {
  const [, written = '', ref] = /^(.*?)(?:#(.+))?$/s.exec(text.replace(/^git\+/, '')) ?? [];
  const short = written.replace(/^github:/, '');
  const isShort = GITHUB_REPOSITORY.test(short);
  if (!isShort && !/^[a-z]+:\/\//i.test(written) && !/^[\w.-]+@[\w.-]+:/.test(written)) return undefined;
  const url = isShort ? githubUrl(short, rules) : checkUrl(written, { reach: 'local' });
  const name =
    url
      .replace(/\/+$/, '')
      .split(/[/:]/)
      .at(-1)
      ?.replace(/\.git$/, '') ?? '';
  return target(plainName(name), 'git', { kind: 'git', url, ...(ref !== undefined && { ref: checkedRef(ref, text) }) });
}
