/** Real servers on loopback: each has a port, a host key and a configuration of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path));

/** Why there can be no server here; undefined when there can. */
export const noServer: string | undefined = SSHD === undefined ? 'openssh-server is not installed' : whyNoFolder();

/** A server of root wants this folder; the service of the system would make it. */
function whyNoFolder(): string | undefined {
  if (userInfo().uid !== 0) return undefined;
  try {
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    return undefined;
  } catch (fault) {
    return `/run/sshd cannot be made: ${(fault as Error).message}`;
  }
}

/** A running server. */
export interface Sshd {
  readonly port: number;
  readonly folder: string;
  /** The private key that it lets in. */
  readonly key: string;
  /** The line for known_hosts. */
  readonly known: string;
  readonly process: ChildProcess;
  /** The processes that serve connections. */
  sessions(): number[];
  log(): string;
}

/** Starts one. `extra` are more lines of its configuration. */
export async function startSshd(extra = ''): Promise<Sshd> {
  const folder = temporaryFolder('sshd');
  const path = (name: string) => join(folder, name);
  for (const name of ['host', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(name)]);
  copyFileSync(path('user.pub'), path('authorized'));
  const port = await freePort();
  // The files of the user's own shell (~/.bashrc) are no part of a test: they may print, wait for locks, or take minutes.
  const home = path('home');
  mkdirSync(home);
  writeFileSync(
    path('config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${path('host')}
PidFile none
AuthorizedKeysFile ${path('authorized')}
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
PermitUserRC no
SetEnv HOME=${home}
${extra}
`,
  );
  const child = spawn(SSHD ?? '', ['-D', '-e', '-f', path('config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  later(() => void child.kill('SIGKILL'));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${log}`);
    return answers(port);
  }, 'the server');
  const [type = '', key = ''] = readFileSync(path('host.pub'), 'utf8').split(' ');
  return {
    port,
    folder,
    key: path('user'),
    known: `[127.0.0.1]:${port} ${type} ${key}`,
    process: child,
    sessions: () => childrenOf(child.pid ?? 0),
    log: () => log,
  };
}

/** A configuration of the client that knows these servers by name. */
export function clientConfig(servers: Readonly<Record<string, Sshd>>, extra = ''): string {
  const folder = temporaryFolder('ssh-client');
  const known = join(folder, 'known_hosts');
  writeFileSync(
    known,
    Object.values(servers)
      .map((server) => `${server.known}\n`)
      .join(''),
  );
  const blocks = Object.entries(servers).map(
    ([name, { port, key }]) => `Host ${name}\n  HostName 127.0.0.1\n  Port ${port}\n  IdentityFile ${key}\n`,
  );
  const file = join(folder, 'config');
  writeFileSync(
    file,
    `${blocks.join('')}Host *\n  UserKnownHostsFile ${known}\n  GlobalKnownHostsFile /dev/null\n  IdentityAgent none\n${extra}`,
  );
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    // Refused, or closed without a word: not yet.
    for (const event of ['error', 'close']) socket.once(event, () => resolve(false));
  });
}

function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return []; // pgrep fails when there is none.
  }
}
