/**
 * Programs that tests drive for real. They are installed where that is allowed (root, apt); elsewhere the tests that
 * need them are skipped, and `missing` says which.
 */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { runCommand } from './run-command.mjs';

/** Its programs are not in PATH, but in a folder of their version. */
function hasPostgres() {
  const folder = '/usr/lib/postgresql';
  return existsSync(folder) && readdirSync(folder).some((version) => existsSync(join(folder, version, 'bin/initdb')));
}

/** Debian package, the command or file that it brings (or how it is found), and what is not tested without it. */
const PROGRAMS = [
  { name: 'bubblewrap', command: 'bwrap', tests: 'packs under the real sandbox (bubblewrap)' },
  { name: 'git', command: 'git', tests: 'comparisons with git check-ignore, doctor' },
  { name: 'tmux', command: 'tmux', tests: 'the command line on a real terminal' },
  { name: 'zsh', command: 'zsh', tests: 'zsh completion' },
  { name: 'fish', command: 'fish', tests: 'fish completion' },
  { name: 'chromium', command: 'chromium', tests: 'the tool browser, the control room, exported sessions' },
  { name: 'python3', command: 'python3', tests: 'the command line on a real PTY, eval' },
  {
    name: 'python3-pyte',
    file: '/usr/lib/python3/dist-packages/pyte',
    tests: 'the screen in a terminal of Python (pyte)',
  },
  { name: 'vim', command: 'vim', tests: 'the edit mode vim beside a real vim' },
  { name: 'procps', command: 'pgrep', tests: 'that nothing is left behind by sandboxes' },
  { name: 'fuse-overlayfs', command: 'fuse-overlayfs', tests: 'copies for subagents through fuse' },
  { name: 'openssh-server', command: 'sshd', tests: 'the tool ssh with a real server' },
  { name: 'openssh-client', command: 'ssh', tests: 'the tool ssh' },
  { name: 'sshfs', command: 'sshfs', tests: 'mounts of the tool ssh' },
  { name: 'python3-debugpy', file: '/usr/lib/python3/dist-packages/debugpy', tests: 'the tool debug with Python' },
  { name: 'lldb', command: 'lldb', tests: 'the tool debug with C' },
  { name: 'delve', command: 'dlv', tests: 'the tool debug with Go' },
  { name: 'golang-go', command: 'go', tests: 'the tool debug with Go, gopls' },
  { name: 'gopls', command: 'gopls', tests: 'the tool lsp with Go' },
  { name: 'clangd', command: 'clangd', tests: 'the tool lsp with C' },
  { name: 'postgresql', find: hasPostgres, tests: 'fleets: runs over several hosts' },
  { name: 'gnome-keyring', command: 'gnome-keyring-daemon', tests: 'credentials with a real keychain' },
];

/** @returns {{ name: string, command?: string, file?: string, find?: () => boolean, tests: string }[]} the programs that are not there */
export function missingPrograms() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = ({ command, file, find }) =>
    find ? find() : file ? existsSync(file) : folders.some((folder) => existsSync(join(folder, command ?? '')));
  return PROGRAMS.filter((program) => !isThere(program));
}

/**
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<{ missing: { name: string, tests: string }[], reason: string }>}
 */
export async function ensureDebianPackages(progress) {
  const missing = missingPrograms();
  if (missing.length === 0) return { missing, reason: '' };
  const names = missing.map(({ name }) => name);
  const reason = await installOrReason(names, progress);
  const absent = missingPrograms();
  for (const { name, tests } of absent) progress.say(`WARNING: ${name} is missing (${reason}); not tested: ${tests}`);
  return { missing: absent, reason };
}

async function installOrReason(names, progress) {
  if (process.platform !== 'linux') return 'not a Debian system';
  if (process.getuid?.() !== 0) return `not root; install with: sudo apt-get install ${names.join(' ')}`;
  return progress.step(`Debian packages (${names.join(', ')})`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = ['install', '--yes', '--no-install-recommends', ...names];
    let result = await runCommand('apt-get', install, { env });
    if (result.missing) return 'no apt-get';
    if (result.code !== 0) {
      // The package lists of a fresh container are empty or old.
      await runCommand('apt-get', ['update', '--quiet'], { env });
      result = await runCommand('apt-get', install, { env });
    }
    return result.code === 0 ? '' : `apt-get failed: ${result.output.trim().split('\n').at(-1)}`;
  });
}
