/** What the user decided about extensions: a file of the user's own, changed under a lock and replaced as a whole. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, type Permissions } from '@tenon/kernel';
import { errors } from '../errors.ts';

/**
 * How an extension runs: in a process of its own under a sandbox, in one without a sandbox, or inside Tenon, where a fault
 * of it is a fault of Tenon.
 */
export type Trust = 'isolated' | 'unconfined' | 'in-process';

/** What was decided about one module. */
export interface ModuleRecord {
  readonly name: string;
  readonly enabled: boolean;
  readonly trust: Trust;
  /** What it may do beside what every extension may; absent when nothing was granted. */
  readonly granted?: Permissions;
  /** ISO 8601. */
  readonly since: string;
}

/** Real path of the module -> what was decided. */
export type ModuleRecords = Readonly<Record<string, ModuleRecord>>;

const VERSION = 1;
const TRUST: readonly string[] = ['isolated', 'unconfined', 'in-process'] satisfies Trust[];

/** The file in which the decisions are. */
export function recordsFile(data: string): string {
  return join(data, 'extensions.json');
}

/** Reads the decisions. A damaged file is an error: treating it as empty would forget what was switched off. */
export function readRecords(file: string): ModuleRecords {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw errors.create('PI_COMPAT_RECORDS_INVALID', { file, reason: messageOf(fault) }, fault);
  }
  try {
    const { version, modules } = JSON.parse(text) as { version?: unknown; modules?: Record<string, ModuleRecord> };
    if (version !== VERSION) throw new Error(`its version is ${String(version)}, not ${VERSION}`);
    if (typeof modules !== 'object' || modules === null) throw new Error('it has no "modules"');
    const wrong = Object.entries(modules).find(([, record]) => !TRUST.includes(record?.trust));
    if (wrong) throw new Error(`what it says about ${wrong[0]} is no decision`);
    return modules;
  } catch (fault) {
    throw errors.create('PI_COMPAT_RECORDS_INVALID', { file, reason: messageOf(fault) }, fault);
  }
}

/** Changes the decision about one module; `change` gives nothing to forget it. */
export async function changeRecord(
  file: string,
  module: string,
  change: (record: ModuleRecord | undefined) => ModuleRecord | undefined,
): Promise<void> {
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const release = await lock(file, {
    realpath: false,
    retries: { retries: 100, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true },
  }).catch((fault: unknown) => {
    throw errors.create('PI_COMPAT_RECORDS_LOCKED', { file }, fault);
  });
  try {
    const records = { ...readRecords(file) };
    const changed = change(records[module]);
    if (changed) records[module] = changed;
    else delete records[module];
    replace(file, `${JSON.stringify({ version: VERSION, modules: records }, null, 2)}\n`);
  } finally {
    await release();
  }
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (fault) {
    rmSync(temporary, { force: true });
    throw fault;
  }
}
