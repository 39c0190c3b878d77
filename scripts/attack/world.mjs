/** A throw-away workspace and home for attacks, and the built program that is attacked in them. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY } from '../workspace.mjs';

const PROGRAM = join(REPOSITORY, 'packages', 'cli', 'dist', 'main.js');

/** What the private key in the home says. An attack that shows it has won. */
export const CANARY = 'canary-7c1f2e-private-key';

/**
 * @typedef {{ root: string, home: string, workspace: string, env: NodeJS.ProcessEnv,
 *             tenon(args: string[], options?: { cwd?: string, env?: NodeJS.ProcessEnv, input?: string }):
 *               Promise<{ code: number | null, out: string, err: string }>, remove(): void }} World
 */

/** A home with keys, and a repository as developers have it. @returns {World} */
export function createWorld() {
  // Not in a temporary folder: what lies there may be changed with fewer questions.
  const parent = join(REPOSITORY, 'node_modules', '.tenon-attack');
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, 'world-'));
  const home = join(root, 'home');
  const workspace = join(home, 'project');
  const put = (path, text) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  };
  put(join(home, '.ssh', 'id_rsa'), `${CANARY}\n`);
  put(join(home, '.aws', 'credentials'), `[default]\naws_secret_access_key = ${CANARY}\n`);
  put(join(home, '.bashrc'), '# start file\n');
  put(join(home, 'notes.txt'), 'notes\n');
  for (const name of ['a.ts', 'b.ts', 'main.ts']) put(join(workspace, 'src', name), 'export const a = 1;\n');
  put(join(workspace, 'package.json'), '{"name":"x","version":"1.0.0","scripts":{"test":"true","build":"true"}}\n');
  for (const name of [
    'README.md',
    'file.txt',
    'a.txt',
    'b.txt',
    'log.txt',
    'f',
    'x',
    'script.sh',
    'Makefile',
    'package-lock.json',
  ]) {
    put(join(workspace, name), name === 'script.sh' ? '#!/bin/sh\necho hi\n' : 'text\n');
  }
  mkdirSync(join(workspace, 'packages', 'cli'), { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', TERM: 'dumb' };
  const git = (...args) => execFileSync('git', args, { cwd: workspace, env, stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');

  return {
    root,
    home,
    workspace,
    env,
    tenon(args, { cwd = workspace, env: more = {}, input = '' } = {}) {
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { ...env, ...more } });
        const parts = { out: '', err: '' };
        child.stdout.on('data', (chunk) => (parts.out += chunk));
        child.stderr.on('data', (chunk) => (parts.err += chunk));
        child.on('error', reject);
        child.on('close', (code) => resolve({ code, ...parts }));
        child.stdin.on('error', () => {}); // A program that does not read its input may have ended.
        child.stdin.end(input);
      });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
