/** What a process and its ended children used of the processor. */
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second for programs, whatever its own clock does. */
const TICKS_PER_SECOND = 100;

/** Seconds of this process and of all its descendants that have ended and were waited for; undefined where only Linux could tell. */
export function cpuSeconds() {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program, in brackets, may hold blanks.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, ofChildrenUser, ofChildrenSystem] = fields.slice(11, 15).map(Number);
    return (user + system + ofChildrenUser + ofChildrenSystem) / TICKS_PER_SECOND;
  } catch {
    // No /proc: another system than Linux.
    return undefined;
  }
}
