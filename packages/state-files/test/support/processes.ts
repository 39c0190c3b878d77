/** Real processes of a really built program, where packages are found as in the installed program. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { buildModules } from '../../../../scripts/program/modules.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Builds the program of the tests into a folder; gives its file. */
export async function buildChild(folder: string): Promise<string> {
  const { texts } = await buildModules(root, { child: 'packages/state-files/test/support/child.ts' });
  for (const [name, text] of texts) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return join(folder, 'child.js');
}

/** A process that does some work. */
export interface Child {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  /** Everything it said, once it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  /** Waits until it says something. */
  readonly firstWord: Promise<void>;
}

/** Starts a process. */
export function start(program: string, args: readonly string[], uid?: number): Child {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let said = '';
  const firstWord = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const ended = new Promise<{ code: number | null; said: string }>((resolve, reject) => {
    child.on('close', (code) => resolve({ code, said }));
    // Another user may not be allowed to run the Node.js that runs this.
    child.on('error', reject);
  });
  return { process: child, ended, firstWord };
}
