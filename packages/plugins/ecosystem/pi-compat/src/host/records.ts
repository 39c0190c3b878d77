/** What the user decided about extensions. */
import { join } from 'node:path';
import type { ModuleDecision } from '@tenon/pack-host/api';
import * as stateFiles from '@tenon/state-files';
import { errors } from '../errors.ts';

/**
 * How an extension runs: in a process of its own under a sandbox, in one without a sandbox, or inside Tenon, where a fault
 * of it is a fault of Tenon.
 */
export type Trust = 'isolated' | 'unconfined' | 'in-process';

/** What was decided about one module. */
export interface ModuleRecord extends ModuleDecision<Trust> {
  /** The providers that its virtual models may send conversations to. */
  readonly providers?: readonly string[];
}

/** Real path of the module -> what was decided. */
export type ModuleRecords = Readonly<Record<string, ModuleRecord>>;

const TRUST: readonly string[] = ['isolated', 'unconfined', 'in-process'] satisfies Trust[];

const FORM = stateFiles.recordForm<ModuleRecord>({
  version: 1,
  section: 'modules',
  problem: (module, record) =>
    TRUST.includes(record?.trust ?? '') ? undefined : `what it says about ${module} is not a decision`,
  damaged: (file, reason, cause) => errors.create('PI_COMPAT_RECORDS_INVALID', { file, reason }, cause),
});

/** The file in which the decisions are. */
export function recordsFile(data: string): string {
  return join(data, 'extensions.json');
}

/** Reads the decisions. A damaged file is an error: treating it as empty would forget what was switched off. */
export function readRecords(file: string): ModuleRecords {
  return stateFiles.readStateSync(file, FORM);
}

/** Changes the decision about one module; `change` gives nothing to forget it. */
export async function changeRecord(
  file: string,
  module: string,
  change: (record: ModuleRecord | undefined) => ModuleRecord | undefined,
): Promise<void> {
  await stateFiles.changeRecord(file, FORM, module, change);
}
