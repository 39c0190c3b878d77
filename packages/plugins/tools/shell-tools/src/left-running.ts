/** What commands of a session left running, by the names that people know. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that outlived its command. */
export interface LeftRunning {
  readonly pid: number;
  readonly command: string;
}

/** The words that shells are started with: also those of a copy which has not become a program yet, or never will. */
const OF_A_SHELL = / --noprofile --norc bash$/;
const TRIES = 10;
const PAUSE_MS = 10;

/** Names processes. One that was started a moment ago may still be a copy of its shell; one that stays so is a group of commands. */
export class ProcessNames {
  /** Copies that were waited for already. */
  #groups = new Set<number>();

  /** Asks for the processes again while some of them have no name of their own. */
  async of(list: () => readonly LeftRunning[]): Promise<readonly LeftRunning[]> {
    let found = list();
    const isNew = ({ pid, command }: LeftRunning) => OF_A_SHELL.test(command) && !this.#groups.has(pid);
    for (let tries = 0; tries < TRIES && found.some(isNew); tries++) {
      await sleep(PAUSE_MS);
      found = list();
    }
    const named = found.map((left) => (OF_A_SHELL.test(left.command) ? { ...left, command: '(commands)' } : left));
    this.#groups = new Set(found.flatMap(({ pid, command }) => (OF_A_SHELL.test(command) ? [pid] : [])));
    return named;
  }
}
