/** Runs programs as users do: by Node alone, without the sources' condition and without keys. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command with nothing in its environment but `home`, the PATH and what is given. */
export function run(
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly home: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const [program, ...words] = command;
  const { cwd, home } = options;
  // A local model server would serve instead of the offline model.
  const env = { PATH: process.env['PATH'], HOME: home, TENON_SET: 'providers.probeLocal=false', ...options.env };
  return new Promise((resolve) => {
    execFile(program, words, { cwd, env, maxBuffer: 1 << 26 }, (fault, out, err) => {
      const code = fault === null ? 0 : typeof fault.code === 'number' ? fault.code : -1;
      resolve({ code, out, err: fault && err === '' ? fault.message : err });
    });
  });
}

/** Writes files into a folder. */
export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
