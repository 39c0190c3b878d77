/** Two processes that append to one session would tear its tree apart. The one that writes claims the file. */
import { readFileSync, rmSync } from 'node:fs';
import { createFile, isAlive, type ProcessMark, thisProcess } from '@tenon/state-files';
import { errors } from './errors.ts';

/** Claims a file for this process; gives the function that lets go of it. */
export function claimFile(file: string): () => void {
  const path = `${file}.lock`;
  const mine = JSON.stringify(thisProcess());
  for (;;) {
    if (createFile(path, mine, { flush: false })) return () => rmSync(path, { force: true });
    const other = readClaim(path);
    if (other && isAlive(other)) throw errors.create('SESSION_IN_USE', { file, pid: other.pid, host: other.host });
    rmSync(path, { force: true });
  }
}

function readClaim(path: string): ProcessMark | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessMark;
  } catch {
    return undefined; // Gone meanwhile.
  }
}
