/** The twins of crates/sandbox/src/{bubblewrap,seatbelt}.rs: command lines from a policy, without looking at files. */
import type { RawCommandPolicy } from './addon.ts';
import type { SandboxCommandLine, Unenforced } from './contract.ts';
import { checkCommand, deciding, failure, type Mount, mounts, normal, nulInArgument } from './js-mounts.ts';

/** The arguments for `bwrap` that run `command` under `policy`. */
export function bubblewrap(policy: RawCommandPolicy, command: readonly string[]): SandboxCommandLine {
  checkCommand(command);
  const table = mounts(policy);
  const argv = namespaces(policy);
  const readOnly: string[] = [];
  table.forEach((mount, index) => argv.push(...mountArguments(table.slice(0, index), mount, readOnly)));
  if (table[0]?.path !== '/') readOnly.push('/');
  for (const path of readOnly) argv.push('--remount-ro', path);
  argv.push(...environment(policy));
  if (policy.cwd !== undefined) argv.push('--chdir', normal(policy.cwd));
  argv.push('--', ...command);
  const reason = 'bubblewrap shows or hides files; it cannot make a visible one not executable';
  return { argv, unenforced: policy.exec ? [{ part: 'exec', reason }] : [] };
}

/** Parts of /proc that change the machine. They belong to root, whose files they stay in a namespace of its own. */
const KERNEL_SETTINGS = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs'];

function namespaces(policy: RawCommandPolicy): string[] {
  const argv = ['--unshare-user-try', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  if (policy.unsharePid) argv.push('--unshare-pid');
  if (!policy.net) argv.push('--unshare-net');
  argv.push('--cap-drop', 'ALL');
  if (policy.dieWithParent) argv.push('--die-with-parent');
  if (policy.newSession) argv.push('--new-session');
  return argv;
}

function mountArguments(before: readonly Mount[], { path, entry }: Mount, readOnly: string[]): string[] {
  const around = deciding(before, path)?.entry.kind;
  const exposed = around === 'read' || around === 'write';
  switch (entry.kind) {
    case 'read':
      return ['--ro-bind', path, path];
    case 'write':
      return ['--bind', path, path];
    case 'proc':
      return [
        '--proc',
        path,
        ...KERNEL_SETTINGS.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `${path}/${name}`]),
      ];
    case 'dev':
      return ['--dev', path];
    case 'tmp':
      return ['--tmpfs', path];
    case 'link':
      return exposed ? [] : ['--symlink', entry.target, path];
    case 'deny':
      if (!exposed) return [];
      if (!entry.directory) return ['--ro-bind', '/dev/null', path];
      readOnly.push(path);
      return ['--tmpfs', path];
  }
}

function environment(policy: RawCommandPolicy): string[] {
  if (!policy.env) return [];
  const argv = ['--clearenv'];
  for (let index = 0; index < policy.env.length; index += 2) {
    const name = policy.env[index] ?? '';
    const value = policy.env[index + 1] ?? '';
    if (name === '' || /[=\0]/.test(name)) {
      throw failure(`environment name "${name}" is empty or contains '=' or NUL; rename it`);
    }
    if (value.includes('\0')) throw nulInArgument(value);
    argv.push('--setenv', name, value);
  }
  return argv;
}

const SYSTEM_READS = `(allow file-read-metadata)
(allow file-read* (literal "/") (subpath "/System") (subpath "/usr/lib") (subpath "/usr/share") (subpath "/private/var/db/dyld") (subpath "/private/var/db/timezone") (literal "/private/etc/localtime"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-ioctl (literal "/dev/tty"))`;

/** The arguments for `sandbox-exec` that run `command` under `policy`. */
export function seatbelt(policy: RawCommandPolicy, command: readonly string[]): SandboxCommandLine {
  checkCommand(command);
  const unenforced: Unenforced[] = [];
  if (policy.tmp) {
    const reason = 'Seatbelt has no private folders; give the command a folder of its own in TMPDIR';
    unenforced.push({ part: 'tmp', reason });
  }
  if (policy.env) {
    const reason = 'Seatbelt does not touch the environment; set it where the command is started';
    unenforced.push({ part: 'env', reason });
  }
  if (policy.dieWithParent) {
    const reason = 'Seatbelt does not tie processes together; end the process group';
    unenforced.push({ part: 'dieWithParent', reason });
  }
  return { argv: ['-p', profile(policy), '--', ...command], unenforced };
}

function profile(policy: RawCommandPolicy): string {
  const lines = ['(version 1)', '(deny default)', '(allow process-fork)', '(allow signal (target same-sandbox))'];
  lines.push('(allow sysctl-read)', SYSTEM_READS);
  for (const { path, entry } of mounts(policy)) {
    const filter = `(subpath ${quoted(path)})`;
    if (entry.kind === 'read') lines.push(`(deny file-write* ${filter})`, `(allow file-read* ${filter})`);
    if (entry.kind === 'write') lines.push(`(allow file-read* file-write* ${filter})`);
    if (entry.kind === 'deny') lines.push(`(deny file-read* file-write* ${filter})`);
  }
  if (!policy.exec) lines.push('(allow process-exec)');
  else if (policy.exec.length === 0) lines.push('(deny process-exec)');
  else lines.push(`(allow process-exec${policy.exec.map((path) => ` (subpath ${quoted(normal(path))})`).join('')})`);
  lines.push(policy.net ? '(allow network*)' : '(deny network*)', '');
  return lines.join('\n');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
