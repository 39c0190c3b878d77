/** Which marketplaces were added, by scope. */
import { join, relative, resolve, sep } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { readText, replaceFile, versionedJson } from '@tenon/state-files';
import { checkUrl, type MarketplaceSource, sourceText } from '../catalogue/sources.ts';
import { nameProblem } from '../catalogue/names.ts';
import { errors } from '../errors.ts';
import { parseKey } from '../review/minisign.ts';
import { type Scope, writeOptions } from './lock-files.ts';

/** A marketplace that was added. */
export interface MarketplaceRecord {
  readonly source: MarketplaceSource;
  readonly addedAt: string;
  readonly updatedAt: string;
  /** The state of a repository that the catalogue is read from. */
  readonly commit?: string;
  /** The fingerprint of a catalogue that is a single file. */
  readonly sha256?: string;
  /** The minisign key that the catalogue must be signed with. */
  readonly key?: string;
  /** What the catalogue calls itself, if the user gave the marketplace another name. */
  readonly ownName?: string;
}

/** Name -> record. */
export type MarketplaceRecords = Readonly<Record<string, MarketplaceRecord>>;

const VERSION = 1;
const MAX_BYTES = 1024 * 1024;

/** The file of a scope; `folder` is the data folder or a project's .tenon folder. */
export function marketplaceFileIn(folder: string, scope: Scope): string {
  return scope === 'user' ? join(folder, 'plugins', 'marketplaces.json') : join(folder, 'marketplaces.json');
}

/** Reads the records. Folders of a project's file are relative to the project, and inside of it. */
export async function readMarketplaces(
  file: string,
  scope: Scope,
  project: string | undefined,
): Promise<MarketplaceRecords> {
  const text = await readText(file, MAX_BYTES);
  if (text === undefined) return {};
  try {
    const content = versionedJson<{ marketplaces: MarketplaceRecords }>(text, VERSION, 'marketplaces');
    const records = Object.entries(content.marketplaces).map(([name, record]) => {
      const problem = nameProblem(name);
      if (problem !== undefined) throw new Error(`"${name}": ${problem}`);
      return [name, checkedRecord(name, record, scope, project)] as const;
    });
    return Object.fromEntries(records);
  } catch (fault) {
    throw errors.create('MARKETPLACE_LOCK_INVALID', { file, reason: messageOf(fault) }, fault);
  }
}

function checkedRecord(
  name: string,
  record: MarketplaceRecord,
  scope: Scope,
  project: string | undefined,
): MarketplaceRecord {
  const { source, commit, key, ownName } = record;
  if (typeof source !== 'object' || source === null) throw new Error(`"${name}" has no source`);
  if (commit !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
    throw new Error(`"${name}" has no commit`);
  if (key !== undefined) parseKey(key);
  const problem = ownName === undefined ? undefined : nameProblem(ownName);
  if (problem !== undefined) throw new Error(`the catalogue's own name of "${name}": ${problem}`);
  if (source.kind === 'folder') {
    if (scope === 'user') return record;
    const path = resolve(project ?? '', String(source.path));
    if (project === undefined || !isInside(path, project)) throw new Error(`"${name}" leads out of the project`);
    return { ...record, source: { kind: 'folder', path } };
  }
  if (source.kind !== 'git' && source.kind !== 'json') throw new Error(`"${name}" is of an unknown kind`);
  checkUrl(String(source.url), { reach: scope === 'user' ? 'local' : 'loopback' });
  if (source.kind === 'git' && source.ref !== undefined && !/^[A-Za-z0-9_][\w./+-]*$/.test(String(source.ref)))
    throw new Error(`"${name}" has no name of a branch`);
  return record;
}

/** Writes the records. Call it under the lock of the store. */
export async function writeMarketplaces(
  file: string,
  scope: Scope,
  records: MarketplaceRecords,
  project: string | undefined,
): Promise<void> {
  const sorted = Object.entries(records)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, record]) => [name, scope === 'project' ? portable(record, project) : record]);
  const text = `${JSON.stringify({ version: VERSION, marketplaces: Object.fromEntries(sorted) }, null, 2)}\n`;
  await replaceFile(file, text, writeOptions(scope));
}

/** The record as others can use it who have the project somewhere else. */
function portable(record: MarketplaceRecord, project: string | undefined): MarketplaceRecord {
  const { source } = record;
  if (source.kind !== 'folder') {
    checkUrl(source.url, { reach: 'loopback' });
    return record;
  }
  if (project === undefined || !isInside(source.path, project)) {
    const reason = 'others who have the project do not have it; use --scope user';
    throw errors.create('MARKETPLACE_SOURCE_INVALID', { source: sourceText(source), reason });
  }
  return { ...record, source: { kind: 'folder', path: `./${relative(project, source.path).split(sep).join('/')}` } };
}
