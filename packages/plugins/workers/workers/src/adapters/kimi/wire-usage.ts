/** Counts what a run of Kimi has used: it says so only in the records of its sessions. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readPlainFile } from '@tenon/host';
import type { WorkerAdapter } from '../../api.ts';
import type { WorkerUsage } from '../../events.ts';
import { type Fields, fieldsOf, numberOf, readLine } from '../../parsing/fields.ts';
import { addUsage, isNoUsage, NO_USAGE } from '../../parsing/usage.ts';

/** More than a long session writes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Sums the records of the session, and of its subagents, since then. */
export const findUsage: NonNullable<WorkerAdapter['findUsage']> = async ({ env, session, since }) => {
  const own = join(env['HOME'] || homedir(), '.kimi-code');
  const homes = [...new Set([env['KIMI_CODE_HOME'], own])].filter((home) => home !== undefined);
  for (const home of homes) {
    const usage = await usageIn(join(home, 'sessions'), session, since);
    if (usage) return usage;
  }
  return undefined;
};

async function usageIn(sessions: string, session: string, since: Date): Promise<WorkerUsage | undefined> {
  for (const folder of await namesIn(sessions)) {
    const agents = join(sessions, folder, session, 'agents');
    let sum = NO_USAGE;
    for (const agent of await namesIn(agents)) sum = addUsage(sum, await wireUsage(join(agents, agent), since));
    if (!isNoUsage(sum)) return sum;
  }
  return undefined;
}

async function wireUsage(folder: string, since: Date): Promise<WorkerUsage> {
  // Kimi's tools write there, too: a pipe would never end.
  const file = await readPlainFile(folder, join(folder, 'wire.jsonl'), MAX_BYTES);
  const lines = 'text' in file ? file.text.split('\n') : [];
  return lines.reduce((sum, line) => addUsage(sum, recordUsage(line, since)), NO_USAGE);
}

/** The usage of one line. */
export function recordUsage(line: string, since: Date): WorkerUsage {
  // Most lines are long and no record of usage.
  if (!line.includes('"usage.record"')) return NO_USAGE;
  const read = readLine(line);
  if (read.kind !== 'event' || read.event['type'] !== 'usage.record') return NO_USAGE;
  const time = numberOf(read.event['time']) ?? since.getTime();
  return time < since.getTime() ? NO_USAGE : tokens(fieldsOf(read.event['usage']));
}

function tokens(usage: Fields): WorkerUsage {
  const count = (key: string) => Math.max(0, numberOf(usage[key]) ?? 0);
  const cacheRead = count('inputCacheRead');
  const cacheWrite = count('inputCacheCreation');
  return {
    input: count('inputOther') + cacheRead + cacheWrite,
    output: count('output'),
    cacheRead,
    cacheWrite,
    reasoning: 0,
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Not there: nothing was recorded.
    return [];
  }
}
