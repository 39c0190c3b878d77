/** The script that Playwright starts in the browser's place: it puts the sandbox around the browser and ends it with Tenon. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MARK_SCRIPT } from '@tenon/host';
import { shellWord } from '@tenon/wording';
import { MESSAGE_FILTER } from './message-filter.ts';

/** A start that is ready. */
export interface GuardedStart {
  /** The script. */
  readonly program: string;
  /** Ends what is left of the browser, and the guard. */
  end(): Promise<void>;
}

/**
 * Writes the script. What the browser says to Playwright (by descriptor 4) goes through a filter. The guard waits on a pipe that only Tenon writes to: when Tenon ends, however it ends, the guard kills its process
 * group, which Playwright makes for each browser. What is in a sandbox dies with the sandbox.
 */
export async function guardedStart(folder: string, words: readonly string[]): Promise<GuardedStart> {
  const pipe = join(folder, 'alive');
  const messages = join(folder, 'messages');
  const program = join(folder, 'start');
  const leader = join(folder, 'leader');
  const script = `#!/bin/sh
${MARK_SCRIPT}
echo $$ >${shellWord(leader)}
{ while read -r _; do :; done <${shellWord(pipe)}; kill -KILL 0; } </dev/null >/dev/null 2>&1 3<&- 4>&- &
${[process.execPath, '-e', MESSAGE_FILTER].map(shellWord).join(' ')} <${shellWord(messages)} >&4 2>/dev/null 3<&- &
exec ${words.map(shellWord).join(' ')} "$@" 4>${shellWord(messages)}
`;
  await writeFile(program, script, { mode: 0o700 });
  await promisify(execFile)('mkfifo', ['-m', '600', pipe, messages]);
  // Last, so that nothing can fail while nobody would close it. Read and write: opening only one end would wait for the other.
  const lifeline = await open(pipe, constants.O_RDWR);
  return {
    program,
    async end() {
      try {
        // The guard is in the group until here, so that its number cannot have become that of others.
        await endGroup(Number(await readFile(leader, 'utf8').catch(() => 'never started')));
        await endStragglers(folder);
      } finally {
        await lifeline.close();
      }
    },
  };
}

const END_MS = 5_000;

/** Kills a process group and waits until it is gone. */
async function endGroup(group: number): Promise<void> {
  if (!Number.isInteger(group) || group <= 1) return;
  for (const until = Date.now() + END_MS; Date.now() < until; await sleep(20)) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      return; // There is no such group any more.
    }
  }
}

/** Kills what has left the group: every process of the browser has the folder in its command line, whose name nobody else knows. */
async function endStragglers(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const until = Date.now() + END_MS; Date.now() < until; await sleep(50)) {
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    const words = await Promise.all(
      // It may end while we look, or belong to somebody else.
      names.map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')),
    );
    const left = names.filter((_, index) => words[index]?.includes(folder));
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        continue; // It has ended meanwhile.
      }
    }
  }
}
