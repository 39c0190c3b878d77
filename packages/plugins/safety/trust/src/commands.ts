import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine, shellWord } from '@tenon/wording';
import type { WorkspaceTrust } from './api.ts';
import { errors } from './errors.ts';
import { coveringRecord, decide, newTriggers, readTrust, realFolder } from './trust-records.ts';

/** What the commands work with. */
export interface TrustParts {
  readonly trust: WorkspaceTrust;
  readonly file: string;
  triggers(): readonly string[];
}

function folderOf({ args, cwd }: CommandCall): string {
  return resolve(cwd, typeof args['folder'] === 'string' ? args['folder'] : '.');
}

/** A command about the same folder, as it has to be typed here. */
function lineFor({ args }: CommandCall, words: string): string {
  const { folder } = args;
  return typeof folder === 'string' ? `\`tenon ${words} ${shellWord(plainLine(folder))}\`` : `\`tenon ${words}\``;
}

/** `tenon trust list` */
export async function listTrust({ trust }: TrustParts, { io, flags }: CommandCall): Promise<void> {
  const records = (await trust.list()).toSorted((left, right) => (left.folder < right.folder ? -1 : 1));
  if (flags['json']) return io.json(records);
  if (records.length === 0) return io.err('Nothing was decided yet. Trust a folder with `tenon trust add`.\n');
  for (const { folder, state, since } of records) {
    await io.out(`${state.padEnd(9)}  ${plainLine(folder)}  (since ${since.slice(0, 10)})\n`);
  }
}

/** `tenon trust add` */
export async function addTrust({ trust }: TrustParts, call: CommandCall): Promise<void> {
  const record = await trust.grant(folderOf(call), { force: call.flags['force'] === true });
  if (call.flags['json']) return call.io.json(record);
  await call.io.out(
    `Trusted: ${plainLine(record.folder)} and everything below it. Take it back with ${lineFor(call, 'trust remove')}.\n`,
  );
}

/** `tenon trust remove` */
export async function removeTrust({ trust, file }: TrustParts, call: CommandCall): Promise<void> {
  const folder = await realFolder(folderOf(call));
  if (call.flags['forget'] === true) {
    const known = (await readTrust(file)).some((record) => record.folder === folder);
    if (!known) throw errors.create('TRUST_NOT_DECIDED', { folder });
    await decide(file, folder, undefined, { names: [] });
    if (call.flags['json']) return call.io.json({ folder, state: 'unknown' });
    return call.io.out(`Forgotten: ${plainLine(folder)}. You will be asked again.\n`);
  }
  const record = await trust.revoke(folder);
  if (call.flags['json']) return call.io.json(record);
  await call.io.out(`Not trusted: ${plainLine(record.folder)}. Nothing that it brings along runs.\n`);
}

/** `tenon trust status`; the exit code is 1 where the folder is not trusted. */
export async function showTrust({ file, triggers }: TrustParts, call: CommandCall): Promise<number> {
  const folder = await realFolder(folderOf(call));
  const record = coveringRecord(await readTrust(file), folder);
  const fresh = record ? await newTriggers(record, folder, triggers()) : [];
  const state = fresh.length > 0 ? 'unknown' : (record?.state ?? 'unknown');
  if (call.flags['json']) {
    const by = record && { by: record.folder, since: record.since };
    await call.io.json({ folder, state, ...by, ...(fresh.length > 0 && { new: fresh }) });
  } else if (fresh.length > 0) {
    const listed = fresh.map(plainLine).join(', ');
    const text = `${plainLine(folder)} was trusted, but there is something new to run: ${listed}.`;
    await call.io.out(`${text} Look at it; trust it again with ${lineFor(call, 'trust add')}.\n`);
  } else {
    const by = record && record.folder !== folder ? `, decided for ${plainLine(record.folder)}` : '';
    const next = state === 'unknown' ? ` Nobody was asked yet; trust it with ${lineFor(call, 'trust add')}.` : '';
    await call.io.out(`${plainLine(folder)} is ${state === 'unknown' ? 'not trusted' : state}${by}.${next}\n`);
  }
  return state === 'trusted' ? 0 : 1;
}
