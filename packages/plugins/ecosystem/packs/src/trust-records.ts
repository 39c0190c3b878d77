/** What the user decided about packs: a file of the user's own, changed under a lock and replaced as a whole. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, type Permissions } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Where a pack comes from. */
export type PackLevel = 'user' | 'linked' | 'installed' | 'project';

/** How far a pack is trusted: in a process of its own under a sandbox, or inside Tenon. */
export type Trust = 'isolated' | 'full';

/** What the user decided about the pack in one folder. */
export interface PackRecord {
  readonly id: string;
  readonly enabled: boolean;
  readonly trust: Trust;
  readonly linked?: boolean;
  /** The plugin of a marketplace that it is, and the lock files that may list it. */
  readonly installed?: { readonly plugin: string; readonly locks: readonly string[] };
  /** What was granted, and its fingerprint; absent when nothing was. */
  readonly granted?: Permissions;
  readonly grantedHash?: string;
  readonly grantedAt?: string;
  /** When full trust was given. */
  readonly fullSince?: string;
}

/** Folder of the pack -> what was decided. Folders rather than ids: a project must not inherit another pack's trust. */
export type PackRecords = Readonly<Record<string, PackRecord>>;

const VERSION = 1;

/** The file in which the decisions are. */
export function recordsFile(dataFolder: string): string {
  return join(dataFolder, 'packs.json');
}

/** Reads the decisions. A damaged file is an error: treating it as empty would lose what was refused. */
export function readRecords(file: string): PackRecords {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw errors.create('PACKS_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
  try {
    const content = JSON.parse(text) as { version?: unknown; packs?: unknown };
    if (content.version !== VERSION) throw new Error(`its version is ${String(content.version)}, not ${VERSION}`);
    if (typeof content.packs !== 'object' || content.packs === null) throw new Error('it has no "packs"');
    return content.packs as PackRecords;
  } catch (fault) {
    throw errors.create('PACKS_RECORDS_INVALID', { file, reason: messageOf(fault) }, fault);
  }
}

/** Changes the decision about one folder; `change` gets what is there now and gives nothing to forget it. */
export async function changeRecord(
  file: string,
  folder: string,
  change: (record: PackRecord | undefined) => PackRecord | undefined,
): Promise<void> {
  // Bundled, a CommonJS package has its exports under `default` only.
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const release = await lock(file, {
    realpath: false,
    retries: { retries: 100, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true },
  }).catch((fault: unknown) => {
    throw errors.create('PACKS_RECORDS_LOCKED', { file }, fault);
  });
  try {
    const records = { ...readRecords(file) };
    const changed = change(records[folder]);
    if (changed) records[folder] = changed;
    else delete records[folder];
    writeWhole(file, `${JSON.stringify({ version: VERSION, packs: records }, null, 2)}\n`);
  } finally {
    await release();
  }
}

/** Replaces a file in one step, readable by the user alone. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch (fault) {
    rmSync(temporary, { force: true });
    throw fault;
  }
}
