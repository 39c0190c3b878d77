/**
 * The sandbox without the addon: it probes what JavaScript can see and builds the same command lines, but a process
 * cannot restrict itself from JavaScript. It says so; it never pretends.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

import { NativeError } from '../task.ts';
import { completeCommandPolicy } from './complete.ts';
import type { Ability, Sandbox, SandboxProbe } from './contract.ts';
import { bubblewrap, seatbelt } from './js-command-lines.ts';
import { runtimePaths } from './runtime-paths.ts';

const NEEDS_ADDON = 'needs the native addon (see `tenon doctor accelerators`); or use bubblewrap';

/** The sandbox in JavaScript. */
export function createJs(): Sandbox {
  const refuse = (): never => {
    throw new NativeError('failure', `self-restriction ${NEEDS_ADDON}`);
  };
  return {
    probe,
    selfRestriction: () => ({ available: false, detail: NEEDS_ADDON }),
    runtimePaths,
    dryRun: refuse,
    restrictSelf: refuse,
    restrictAndExec: refuse,
    selfRestrictingCommand: refuse,
    bubblewrap: (policy, command) => bubblewrap(completeCommandPolicy(policy), command),
    seatbelt: (policy, command) => seatbelt(completeCommandPolicy(policy), command),
  };
}

async function probe(): Promise<SandboxProbe> {
  const { platform } = process;
  const linux = platform === 'linux';
  const status = linux ? readText('/proc/self/status') : '';
  const only = (ability: Ability): Ability => (linux ? ability : no('only on Linux'));
  const bwrap = linux ? await probeBubblewrap() : { path: undefined, ability: no('only on Linux') };
  const sandboxExec = '/usr/bin/sandbox-exec';
  return {
    platform,
    landlockAbi: undefined,
    landlock: only(no(NEEDS_ADDON)),
    seccomp: only(no(NEEDS_ADDON)),
    userNamespaces: only(userNamespaces(bwrap.ability)),
    bubblewrap: bwrap.ability,
    bubblewrapPath: bwrap.path,
    seatbelt: platform === 'darwin' && existsSync(sandboxExec) ? yes(sandboxExec) : no('only on macOS'),
    noNewPrivs: /^NoNewPrivs:\s*1$/m.test(status),
    surroundings: linux ? surroundings(status) : [],
  };
}

function yes(detail: string): Ability {
  return { available: true, detail };
}

function no(detail: string): Ability {
  return { available: false, detail };
}

/** JavaScript cannot try one itself; bubblewrap just did, and the kernel's settings tell the rest. */
function userNamespaces(bwrap: Ability): Ability {
  const most = readText('/proc/sys/user/max_user_namespaces').trim();
  if (most === '0') return no('the kernel allows none (user.max_user_namespaces is 0)');
  if (readText('/proc/sys/kernel/unprivileged_userns_clone').trim() === '0' && process.getuid?.() !== 0) {
    return no('the kernel forbids them without root (kernel.unprivileged_userns_clone is 0)');
  }
  return bwrap.available ? yes('bubblewrap could make one') : no('not tried; the native addon can');
}

async function probeBubblewrap(): Promise<{ path: string | undefined; ability: Ability }> {
  const path = findProgram('bwrap');
  if (!path) return { path, ability: no('bwrap is not installed; install the package bubblewrap') };
  const version = await run(path, ['--version']);
  if (!version.ok) return { path, ability: no(`bwrap does not run: ${version.text}`) };
  const options = ['--unshare-user-try', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent'];
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--', 'true'];
  const started = await run(path, [...options, ...mounts]);
  const name = version.text.trim();
  return { path, ability: started.ok ? yes(name) : no(`${name} does not start a command here: ${started.text}`) };
}

/**
 * In a group of its own, because Ctrl-C at a terminal goes to the whole group of Tenon: bubblewrap would die of it, what it has just
 * started would not, and that holds the pipes open for ever.
 */
function run(file: string, args: string[]): Promise<{ ok: boolean; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (part: string) => (texts[name] += part));
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      endGroup(child.pid);
    }, 5000);
    child.on('error', (error) => resolve({ ok: false, text: error.message }));
    child.on('exit', () => endGroup(child.pid));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) return resolve({ ok: true, text: texts.stdout });
      const ending = isLate ? 'no answer within 5s' : code === null ? `signal: ${signal}` : `exit status: ${code}`;
      resolve({ ok: false, text: `${texts.stderr.split('\n')[0] || 'no message'} (${ending})` });
    });
  });
}

/** Ends what a program has started, also when the program itself has ended. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // Absent or not executable: look further along PATH.
  }
}

function surroundings(status: string): string[] {
  const signs: string[] = [];
  if (existsSync('/.dockerenv')) signs.push('Docker container (/.dockerenv exists)');
  if (existsSync('/run/.containerenv')) signs.push('Podman container (/run/.containerenv exists)');
  const cgroup = readText('/proc/1/cgroup');
  for (const word of ['docker', 'kubepods', 'containerd', 'lxc']) {
    if (cgroup.includes(word)) signs.push(`container (${word} in /proc/1/cgroup)`);
  }
  if (process.env['container'] !== undefined) signs.push('container (the variable `container` is set)');
  if (/microsoft/i.test(readText('/proc/version'))) signs.push('WSL');
  if (/^Seccomp:\s*2$/m.test(status)) signs.push('a seccomp filter is already on this process');
  return signs;
}

/** A kernel file that is absent says nothing, which is what an empty text says. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
