/** The few parts of Bun that modules of OpenCode use: files and the shell. What else they reach for says that it is missing. */
import { accessSync, constants } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A stand-in for `Bun`. */
export function createBun(cwd: string, shell: unknown): Readonly<Record<string, unknown>> {
  const pathOf = (path: string | URL) => resolve(cwd, path instanceof URL ? fileURLToPath(path) : path);
  const file = (path: string | URL) => {
    const name = pathOf(path);
    return {
      name,
      text: () => readFile(name, 'utf8'),
      json: async () => JSON.parse(await readFile(name, 'utf8')) as unknown,
      bytes: async () => new Uint8Array(await readFile(name)),
      arrayBuffer: async () => Uint8Array.from(await readFile(name)).buffer,
      exists: () =>
        stat(name).then(
          (found) => found.isFile(),
          () => false, // whatever keeps it from being looked at, it cannot be read
        ),
    };
  };
  const known: Readonly<Record<string, unknown>> = {
    $: shell,
    env: process.env,
    file,
    write: async (path: string | URL | { readonly name: string }, data: string | Uint8Array) => {
      const name = typeof path === 'object' && 'name' in path ? path.name : path;
      await writeFile(pathOf(name), data);
      return Buffer.byteLength(data);
    },
    sleep: (ms: number) => new Promise((done) => setTimeout(done, ms)),
    which: (program: string) => whichOf(program),
  };
  return new Proxy(known, {
    get(target, name) {
      if (typeof name === 'symbol' || name in target || name === 'then') return target[name as string];
      throw new Error(`Bun.${name} is not available: modules of OpenCode run under Node.js here`);
    },
  });
}

function whichOf(program: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const isProgram = (path: string) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false; // not there, or not to be run
    }
  };
  return folders.map((folder) => join(folder, program)).find(isProgram) ?? null;
}
