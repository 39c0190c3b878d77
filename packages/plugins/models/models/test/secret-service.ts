/** A real keychain for tests: gnome-keyring on a message bus of its own, without a screen. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const PROGRAMS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'];

/** Why there can be no Secret Service on this machine; nothing when there can. */
export function whyNoSecretService(): string | undefined {
  if (process.platform !== 'linux') return 'the Secret Service is the keychain of Linux';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = PROGRAMS.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  return missing.length === 0 ? undefined : `${missing.join(', ')} missing; install gnome-keyring and dbus`;
}

/** A message bus, with or without a keychain on it. */
export class DesktopSession {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #bus: ChildProcess;
  #keychain: ChildProcess | undefined;
  /** What programs of this session have in their environment. */
  readonly variables: { readonly DBUS_SESSION_BUS_ADDRESS: string; readonly XDG_RUNTIME_DIR: string };

  private constructor(folder: string, env: NodeJS.ProcessEnv, bus: ChildProcess, address: string) {
    this.#folder = folder;
    this.#env = { ...env, DBUS_SESSION_BUS_ADDRESS: address };
    this.#bus = bus;
    this.variables = { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: join(folder, 'run') };
  }

  /** Starts the bus. Nothing is on it: what the machine would start by itself is left out. */
  static async start(folder: string): Promise<DesktopSession> {
    for (const name of ['run', 'data', 'services']) mkdirSync(join(folder, name), { recursive: true });
    chmodSync(join(folder, 'run'), 0o700);
    const config = join(folder, 'bus.conf');
    writeFileSync(
      config,
      `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=${join(folder, 'run', 'bus')}</listen><servicedir>${join(folder, 'services')}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>\n`,
    );
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_RUNTIME_DIR: join(folder, 'run'),
    };
    const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [address] = (await once(createInterface(bus.stdout), 'line')) as [string];
    return new DesktopSession(folder, env, bus, address);
  }

  /** Starts the keychain and unlocks it, as a login does. */
  async startKeychain(): Promise<void> {
    this.#keychain = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env: this.#env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#keychain.stdin?.end('password of the login');
    const isThere = () => this.#call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus.ListNames');
    while (!(await isThere()).includes('"org.freedesktop.secrets"')) await new Promise((next) => setTimeout(next, 20));
  }

  /** Locks the keychain: whoever wants something of it causes a dialog. */
  async lock(): Promise<void> {
    const collection = 'array:objpath:/org/freedesktop/secrets/collection/login';
    await this.#service('Lock', collection);
  }

  /** Logs out and in again, which unlocks it. */
  async logInAgain(): Promise<void> {
    if (this.#keychain) await kill(this.#keychain);
    await this.startKeychain();
  }

  /** The dialog in which a keychain asks for its password never comes up, and nothing says so. */
  hideDialogs(): void {
    const name = 'org.gnome.keyring.SystemPrompter';
    // It ends with the bus, so that nothing is left behind.
    const wait = `while kill -0 ${this.#bus.pid}; do sleep 0.1; done`;
    const service = `[D-BUS Service]\nName=${name}\nExec=/bin/sh -c "${wait}"\n`;
    writeFileSync(join(this.#folder, 'services', `${name}.service`), service);
  }

  /** Removes every secret of Tenon, as a user does with the program of the desktop. Gives how many there were. */
  async removeSecrets(): Promise<number> {
    const found = await this.#service('SearchItems', 'dict:string:string:service,tenon');
    const items = [...found.matchAll(/object path "([^"]+)"/g)].map(([, path]) => path ?? '');
    for (const path of items) await this.#call('org.freedesktop.secrets', path, 'org.freedesktop.Secret.Item.Delete');
    return items.length;
  }

  /** The keychain is there and does not answer. */
  suspendKeychain(): void {
    this.#keychain?.kill('SIGSTOP');
  }

  /** Not even the bus answers. */
  suspendBus(): void {
    this.#bus.kill('SIGSTOP');
  }

  /** Ends everything that was started. */
  async stop(): Promise<void> {
    if (this.#keychain) await kill(this.#keychain);
    await kill(this.#bus);
  }

  #service(method: string, ...given: string[]): Promise<string> {
    const name = 'org.freedesktop.secrets';
    return this.#call(name, '/org/freedesktop/secrets', `org.freedesktop.Secret.Service.${method}`, ...given);
  }

  async #call(service: string, path: string, method: string, ...given: string[]): Promise<string> {
    const words = ['--session', '--print-reply', `--dest=${service}`, path, method, ...given];
    return (await promisify(execFile)('dbus-send', words, { env: this.#env })).stdout;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
