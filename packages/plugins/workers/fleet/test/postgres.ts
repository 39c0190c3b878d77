/** A PostgreSQL of its own for a test: Debian's, in a folder that goes away. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSIONS = '/usr/lib/postgresql';

/** Where its programs are; undefined where it is not installed. */
export const POSTGRES = existsSync(VERSIONS)
  ? readdirSync(VERSIONS)
      .map((version) => join(VERSIONS, version, 'bin'))
      .findLast((bin) => existsSync(join(bin, 'initdb')))
  : undefined;

/** A server. */
export interface Server {
  readonly url: string;
  /** Ends it as a crash would, and starts it again. */
  crash(): Promise<void>;
  /** Makes a database with this name; gives its address. */
  database(name: string): string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to be root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: id('-u'), gid: id('-g') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Starts a server in a folder. `durable`: with every write on the disk, as it is used. */
export async function startPostgres(
  base: string,
  { address = '127.0.0.1', durable = false }: { readonly address?: string; readonly durable?: boolean } = {},
): Promise<Server> {
  if (POSTGRES === undefined) throw new Error('PostgreSQL is not installed');
  const bin = POSTGRES;
  const who = owner();
  const folder = join(base, 'postgres');
  const data = join(folder, 'data');
  mkdirSync(folder, { recursive: true });
  chmodSync(base, 0o755);
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' };
  const options = { ...who, cwd: folder, env, stdio: 'pipe' as const };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'tenon', '--no-sync', '-E', 'UTF8'], options);
  // Hosts in other networks come from their own addresses.
  if (address !== '127.0.0.1') appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet trust\n');
  const port = await freePort();
  const words = ['-D', data, '-p', String(port), '-k', folder, '-c', `listen_addresses=${address}`];
  // A crash of the server alone loses nothing by this; a crash of the machine would.
  const fast = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];
  const more = ['-c', 'max_connections=300', '-c', 'logging_collector=off', '-c', 'log_min_messages=fatal'];
  let child: ChildProcess | undefined;
  const isReady = () => {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', folder, '-p', String(port)], options);
      return true;
    } catch {
      return false; // Not yet.
    }
  };
  const start = async () => {
    child = spawn(join(bin, 'postgres'), [...words, ...more, ...(durable ? [] : fast)], {
      ...who,
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    while (!isReady()) await sleep(50);
  };
  const stop = async (how: 'SIGINT' | 'SIGQUIT') => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    if (child?.exitCode === null && child.kill(how)) await ended;
  };
  await start();
  const urlOf = (name: string) => `postgresql://tenon@${address === '*' ? '127.0.0.1' : address}:${port}/${name}`;
  return {
    url: urlOf('postgres'),
    async crash() {
      await stop('SIGQUIT');
      await start();
    },
    database(name) {
      execFileSync(join(bin, 'createdb'), ['-h', folder, '-p', String(port), '-U', 'tenon', name], options);
      return urlOf(name);
    },
    stop: () => stop('SIGINT'),
  };
}
