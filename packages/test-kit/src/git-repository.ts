import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { putFiles } from './temporary.ts';

/** Runs git in a folder and gives what it prints. */
export function gitIn(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}

/** Makes a repository of these files, with one commit on `main`; gives git in it. */
export function gitRepository(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): (...args: string[]) => string {
  mkdirSync(folder, { recursive: true });
  putFiles(folder, files);
  const git = (...args: string[]) => gitIn(folder, ...args);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'start');
  return git;
}
