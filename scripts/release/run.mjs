/** Runs programs for the release: to their end, with what they wrote. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {{ code: number, out: string, err: string }} Ended
 * @param {readonly [string, ...string[]]} command
 * @param {{ cwd: string, env?: Record<string, string | undefined> }} options
 * @returns {Promise<Ended>}
 */
export function run([program, ...words], { cwd, env = process.env }) {
  return new Promise((resolve) => {
    const child = execFile(program, words, { cwd, env, maxBuffer: 1 << 28 }, (fault, out, err) => {
      const code = fault === null ? 0 : typeof fault.code === 'number' ? fault.code : -1;
      resolve({ code, out, err: fault && err === '' ? fault.message : err });
    });
    // Programs read what is piped to them to its end.
    child.stdin?.end();
  });
}

/** The same for what must succeed; gives its output. */
export async function mustRun(command, options) {
  const { code, out, err } = await run(command, options);
  if (code !== 0) throw new Error(`\`${command.join(' ')}\` ended with ${code}:\n${err}${out}`);
  return out;
}

/** A PATH on which none of these programs is found. @param {readonly string[]} programs */
export function pathWithout(programs) {
  const has = (folder, program) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // Not there.
    }
  };
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !programs.some((program) => has(folder, program))).join(delimiter);
}
