/** Asks npm, with the settings of the user and never with those of the folder that Tenon happens to be in. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { findInPath } from '@tenon/host';
import { plainLine } from '@tenon/wording';
import { errors } from './errors.ts';

/** npm writes names and values first (`code E404`, `syscall connect`), then what happened in words. */
const SENTENCE = /^npm error (?!(?:code|syscall|errno|path|dest|file|command|cwd|signal) |A complete log)\S/;

/** For a question that somebody waits for: without it, npm tries for more than a minute where there is no network. */
export const BRIEFLY = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000'];

/** Runs npm to its end; gives what it wrote. */
export type Npm = (words: readonly string[], signal: AbortSignal) => Promise<string>;

/** The npm of the PATH. A `.npmrc` of a project could name another registry, so it works in the user's home. */
export function npmIn(home: string, env: NodeJS.ProcessEnv = process.env): Npm {
  return async (words, signal) => {
    // Windows has npm.cmd, which only a shell can start; the words are ours or checked.
    const isWindows = process.platform === 'win32';
    const program = isWindows ? 'npm.cmd' : findInPath('npm', env);
    if (program === undefined) throw errors.create('INSTALLATION_NO_NPM');
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
    return new Promise((resolve, reject) => {
      // A user of a container may have a home that nobody has made.
      const cwd = existsSync(home) ? home : parse(process.execPath).root;
      const options = { cwd, env, signal, encoding: 'utf8' as const, maxBuffer: 1 << 26, shell: isWindows };
      execFile(program, [...words, ...quiet], options, (fault, out, err) => {
        if (!fault) return resolve(out);
        if (signal.aborted) return reject(signal.reason as Error);
        const [reason = fault.message] = err.split('\n').filter((line) => SENTENCE.test(line));
        const text = plainLine(reason.replace(/^npm error /, ''));
        reject(errors.create('INSTALLATION_NPM', { words: words.slice(0, 2).join(' '), reason: text }, fault));
      });
    });
  };
}
