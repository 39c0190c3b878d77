/** Which machines there are, and whether what is said about them may go to `ssh`. */
import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { Folders } from '@tenon/host';
import type { Registry } from '@tenon/kernel';
import type { WorkspaceTrust } from '@tenon/trust/api';
import { didYouMean, plainLine } from '@tenon/wording';
import type { HostFinder, KnownHost } from './api.ts';
import { errors } from './errors.ts';
import type { SshSettings } from './generated/settings.ts';

/** What finding hosts needs. */
export interface HostsOptions {
  readonly folders: Folders;
  readonly settings: Pick<SshSettings, 'hosts'>;
  readonly finders: Registry<HostFinder>;
  /** What `${NAME}` in files with hosts stands for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  trust(): Promise<WorkspaceTrust | undefined>;
}

/** A host with what is known about the right to use it. */
export interface ListedHost extends KnownHost {
  /** True for hosts of a project that the user has not trusted. They cannot be used. */
  readonly isUntrusted?: boolean;
}

/** Letters that cannot be an option, a list or a part of a command, whatever reads them. */
const NAME = /^[\p{L}\p{N}_:][\p{L}\p{N}_.:@+-]*$/u;
const USER = /^[\p{L}\p{N}_.][\p{L}\p{N}_.@\\+$-]*$/u;
const MAX_NAME = 255;

/** Finds machines by name. */
export class Hosts {
  readonly #options: HostsOptions;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /**
   * All hosts, each name once. The user's settings come first, then what finders know. A host of a project that is not trusted never
   * takes the place of one of the user's.
   */
  async list(cwd: string, signal?: AbortSignal): Promise<readonly ListedHost[]> {
    const finders = await this.#options.finders.resolveAll();
    const found = await Promise.all(finders.map(({ value }) => value.find(cwd, signal)));
    const listed = await this.#withTrust(found.flat());
    // Not for a stranger's file: what is in the environment would become the address that is connected to.
    const filled = listed.map((host) => (host.isUntrusted ? host : withVariables(host, this.#options.env)));
    const known: ListedHost[] = [...this.#fromSettings(), ...filled];
    const byName = new Map<string, ListedHost>();
    for (const host of [...known.filter((one) => !one.isUntrusted), ...known])
      if (!byName.has(host.name)) byName.set(host.name, host);
    return [...byName.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** The host of a name, checked; an error says what to do when it cannot be used. */
  async get(name: string, cwd: string, signal?: AbortSignal): Promise<KnownHost> {
    const hosts = await this.list(cwd, signal);
    const host = hosts.find((one) => one.name === name);
    const shown = plainLine(name).slice(0, MAX_NAME);
    if (!host) {
      if (hosts.length === 0) throw errors.create('SSH_NO_HOSTS');
      // What a file of a stranger says is not repeated as advice.
      const names = hosts.filter((one) => !one.isUntrusted && whyNot(one) === undefined).map((one) => one.name);
      if (names.length === 0) throw errors.create('SSH_NO_HOSTS');
      throw errors.create('SSH_HOST_NAME', {
        host: shown,
        hint: didYouMean(name, names),
        hosts: names,
      });
    }
    if (host.isUntrusted) throw errors.create('SSH_HOST_UNTRUSTED', { host: shown, file: host.file });
    const reason = whyNot(host);
    if (reason !== undefined) throw errors.create('SSH_HOST_INVALID', { host: shown, file: host.file, reason });
    return host;
  }

  #fromSettings(): KnownHost[] {
    return Object.entries(this.#options.settings.hosts).map(([name, { host = name, identityFile, ...rest }]) => ({
      name,
      file: 'the setting ssh.hosts',
      host,
      ...rest,
      ...(identityFile !== undefined && { identityFile: this.#fromHome(identityFile) }),
    }));
  }

  #fromHome(path: string): string {
    const { home } = this.#options.folders;
    return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(home, path);
  }

  async #withTrust(hosts: readonly KnownHost[]): Promise<ListedHost[]> {
    const projects = [...new Set(hosts.flatMap(({ project }) => project ?? []))];
    if (projects.length === 0) return [...hosts];
    const trust = await this.#options.trust();
    // Without the plugin for trust nobody is trusted.
    const states = await Promise.all(projects.map((folder) => trust?.stateOf(folder)));
    const trusted = new Set(projects.filter((_, index) => states[index] === 'trusted'));
    return hosts.map((host) =>
      host.project === undefined || trusted.has(host.project) ? host : { ...host, isUntrusted: true },
    );
  }
}

/** The host with the values of `${NAME}` and `${NAME:-instead}`. A variable without a value stays as it is and makes the host unusable. */
function withVariables({ host, user, identityFile, ...rest }: ListedHost, env: HostsOptions['env']): ListedHost {
  const fill = (text: string) =>
    text.replaceAll(
      /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
      (whole: string, name: string, instead?: string) => env[name] || (instead ?? whole),
    );
  return {
    ...rest,
    host: fill(host),
    ...(user !== undefined && { user: fill(user) }),
    ...(identityFile !== undefined && { identityFile: fill(identityFile) }),
  };
}

/** Why a host must not go to `ssh`: what it says could be read as something else than it is. */
export function whyNot({ name, host, user, port, identityFile }: KnownHost): string | undefined {
  if (name.length > MAX_NAME || !NAME.test(name)) return 'its name has characters that a host name cannot have';
  if (host.length > MAX_NAME || !NAME.test(host) || host.includes('@'))
    return `"${plainLine(host).slice(0, 80)}" is not a host name`;
  if (user !== undefined && (user.length > MAX_NAME || !USER.test(user))) return 'its user has unusual characters';
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) return `${port} is not a port`;
  if (identityFile !== undefined && (!isAbsolute(identityFile) || /[\n\0"%]/.test(identityFile)))
    return 'the path of its key must be absolute, without quotes and percent signs';
  return undefined;
}

/** Fails when the key of a host is missing or open to others, which `ssh` would only say between the lines. */
export async function checkIdentity({ name, identityFile: file }: KnownHost): Promise<void> {
  if (file === undefined) return;
  const refuse = (reason: string, todo: string) => errors.create('SSH_IDENTITY', { host: name, file, reason, todo });
  const info = await stat(file).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') throw refuse('it does not exist', 'Correct its path, or make it with `ssh-keygen`.');
    throw fault;
  });
  if (!info.isFile()) throw refuse('it is not a file', 'Name the file with the private key.');
  if ((info.mode & 0o077) !== 0) throw refuse('others may read it', `Close it: \`chmod 600 ${file}\`.`);
}
