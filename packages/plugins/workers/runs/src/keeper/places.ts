/** Where the files of a run are. */
import { join } from 'node:path';

/** The folder of all runs, in Tenon's state folder. */
export function runsFolder(state: string): string {
  return join(state, 'runs');
}

/** The folder of one run. */
export function runFolder(state: string, run: string): string {
  return join(runsFolder(state), run);
}

/** Where a run and its worker exchange files. */
export function exchangeFolder(state: string, run: string): string {
  return join(runFolder(state, run), 'exchange');
}

/** What an adapter keeps from one process of a run to the next. */
export function adapterFolder(state: string, run: string): string {
  return join(runFolder(state, run), 'adapter');
}

/** What belongs to one process of a run: what it wrote, and how it ended. */
export function sessionFolder(state: string, run: string, session: number): string {
  return join(runFolder(state, run), `session-${session}`);
}

/** Files that a session's command line names; gone when the session is over. */
export function scratchFolder(state: string, run: string, session: number): string {
  return join(sessionFolder(state, run, session), 'scratch');
}

/** What the sandbox of a session needs while its process runs. */
export function sandboxFolder(state: string, run: string, session: number): string {
  return join(sessionFolder(state, run, session), 'sandbox');
}
