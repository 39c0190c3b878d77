/** Which control rooms of this user are open: a second one on the same port is the first one. */
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive, type ProcessMark, readText, replaceFile, thisProcess } from '@tenon/state-files';

interface Note {
  readonly process: ProcessMark;
  readonly origin: string;
}

const noteOf = (state: string, port: number) => join(state, `web-server-${port}.json`);

/** Writes down that this process serves on a port; the function that is returned takes that back. */
export async function noteServer(state: string, port: number, origin: string): Promise<() => Promise<void>> {
  const file = noteOf(state, port);
  await forgetDead(state);
  await replaceFile(file, JSON.stringify({ process: thisProcess(), origin } satisfies Note), { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** A control room of this machine whose process lives. */
export interface RunningServer {
  readonly origin: string;
  /** When it was opened, in milliseconds. */
  readonly since: number;
}

/** All of them, the newest first, by addresses of this machine. What a killed one has left is removed. */
export async function runningServers(state: string): Promise<readonly RunningServer[]> {
  // There is no state yet.
  const names = await readdir(state).catch(() => []);
  const found: RunningServer[] = [];
  for (const name of names) {
    const [, port] = /^web-server-(\d{1,5})\.json$/.exec(name) ?? [];
    if (port === undefined) continue;
    const file = join(state, name);
    const note = noteIn(await readText(file));
    if (note && note.process.host !== hostname()) continue;
    if (!note || !isAlive(note.process)) await rm(file, { force: true });
    // It may end in this moment.
    else found.push({ origin: nearOf(note.origin), since: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 });
  }
  return found.sort((a, b) => b.since - a.since);
}

/** Who listens on all addresses is reached by the one that never leaves the machine. */
const nearOf = (origin: string) => origin.replace('//[::]', '//[::1]').replace('//0.0.0.0', '//127.0.0.1');

/** The address of the control room that another process of this user serves on a port. */
export async function serverOn(state: string, port: number): Promise<string | undefined> {
  const note = noteIn(await readText(noteOf(state, port)));
  return note && isAlive(note.process) ? note.origin : undefined;
}

function noteIn(text: string | undefined): Note | undefined {
  if (text === undefined) return undefined;
  try {
    const { process, origin } = JSON.parse(text) as Partial<Note>;
    return process && typeof origin === 'string' ? { process, origin } : undefined;
  } catch {
    return undefined; // Half a note says nothing.
  }
}

/** A server that was killed has left its note. */
async function forgetDead(state: string): Promise<void> {
  for (const name of await readdir(state)) {
    const port = /^web-server-(\d+)\.json$/.exec(name)?.[1];
    if (port !== undefined && (await serverOn(state, Number(port))) === undefined)
      await rm(join(state, name), { force: true });
  }
}
