/** What the user decided about OpenCode modules. */
import { join } from 'node:path';
import type { ModuleDecision } from '@tenon/pack-host/api';
import * as stateFiles from '@tenon/state-files';
import { errors } from '../errors.ts';

/** How a module runs: in a process under a sandbox, or in one without. */
export type Trust = 'isolated' | 'unconfined';

/** What was decided about one module. */
export type ModuleRecord = ModuleDecision<Trust>;

const FORM = stateFiles.recordForm<ModuleRecord>({
  version: 1,
  section: 'modules',
  problem: (module, record) =>
    record?.trust === 'isolated' || record?.trust === 'unconfined'
      ? undefined
      : `what it says about ${module} is not a decision`,
  damaged: (file, reason, cause) => errors.create('OPENCODE_RECORDS_INVALID', { file, reason }, cause),
});

const fileIn = (data: string) => join(data, 'opencode-modules.json');

/** Reads the decisions, by the real path of the module. A damaged file is an error: else what was switched off would run. */
export function readRecords(data: string): Readonly<Record<string, ModuleRecord>> {
  return stateFiles.readStateSync(fileIn(data), FORM);
}

/** Changes the decision about one module; `change` gives nothing to forget it. */
export async function changeRecord(
  data: string,
  module: string,
  change: (record: ModuleRecord | undefined) => ModuleRecord | undefined,
): Promise<void> {
  await stateFiles.changeRecord(fileIn(data), FORM, module, change);
}
