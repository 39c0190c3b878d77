/** A folder in which nothing but reading may happen: programs of the search path are canaries, and every new file counts. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';

const PROGRAMS = ['touch', 'id', 'ls', 'cat', 'sort', 'a', 'b', 'x'];

/** Runs programs where the least effect shows. */
export class Canary {
  readonly #folder = temporaryFolder('canary');

  constructor() {
    const script = `#!/bin/sh\necho ran >> '${join(this.#folder, 'ran')}'\n`;
    putFiles(this.#folder, {
      ...Object.fromEntries(PROGRAMS.map((name) => [`bin/${name}`, script])),
      'work/in': 'a b c\ntouch PWN\nx/y a\n3 4 5\n',
    });
    for (const name of PROGRAMS) chmodSync(join(this.#folder, 'bin', name), 0o755);
  }

  /** Runs a program of the machine, and says what it ran or made. */
  effectsOf(program: string, args: readonly string[]): readonly string[] {
    const path = ['/usr/bin', '/bin'].map((folder) => join(folder, program)).find((file) => existsSync(file));
    if (path === undefined || args.some((word) => word.includes('\0'))) return [];
    spawnSync(path, args, {
      cwd: join(this.#folder, 'work'),
      env: { PATH: join(this.#folder, 'bin') },
      input: '',
      timeout: 2000,
    });
    const made = [
      ...readdirSync(this.#folder).filter((name) => name !== 'bin' && name !== 'work'),
      ...readdirSync(join(this.#folder, 'work')).filter((name) => name !== 'in'),
    ];
    for (const name of made)
      for (const folder of ['', 'work']) rmSync(join(this.#folder, folder, name), { force: true, recursive: true });
    return made;
  }
}

/** Whether a program is on this machine. */
export function isInstalled(program: string): boolean {
  return existsSync(join('/usr/bin', program)) || existsSync(join('/bin', program));
}
