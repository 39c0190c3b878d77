/** The words that every call of `ssh`, `sftp` and `sshfs` begins with. */
import type { KnownHost } from './api.ts';
import type { SshSettings } from './generated/settings.ts';

/** The settings that decide how connections are made. */
export type ConnectionSettings = Pick<SshSettings, 'configFile' | 'newHosts' | 'connectSeconds'>;

/**
 * Options as `key=value`. They come first on the line, so no configuration can undo them: no question to a terminal, no forwarding of the
 * agent, of ports or of the screen, no command on this machine, and only keys of hosts that are known.
 */
export function fixedOptions({ newHosts, connectSeconds }: ConnectionSettings): readonly string[] {
  return [
    'BatchMode=yes',
    `StrictHostKeyChecking=${newHosts === 'accept' ? 'accept-new' : 'yes'}`,
    'ForwardAgent=no',
    'ForwardX11=no',
    'ClearAllForwardings=yes',
    'PermitLocalCommand=no',
    'RequestTTY=no',
    'RemoteCommand=none',
    'ControlPersist=no',
    'Tunnel=no',
    'UpdateHostKeys=no',
    'LogLevel=ERROR',
    `ConnectTimeout=${connectSeconds}`,
    'ServerAliveInterval=15',
    'ServerAliveCountMax=3',
  ];
}

/** Options that say which machine is meant; none for a host that OpenSSH knows by its name. */
export function hostOptions({ isAlias, user, port, identityFile }: KnownHost): readonly string[] {
  if (isAlias) return [];
  return [
    ...(user === undefined ? [] : [`User=${user}`]),
    ...(port === undefined ? [] : [`Port=${port}`]),
    ...(identityFile === undefined ? [] : [`IdentityFile="${identityFile}"`, 'IdentitiesOnly=yes']),
  ];
}

/** Options as words of a command line. */
export function asWords(options: readonly string[]): string[] {
  return options.flatMap((option) => ['-o', option]);
}

/** The words that choose another configuration file. */
export function configWords({ configFile }: Pick<ConnectionSettings, 'configFile'>): string[] {
  return configFile === '' ? [] : ['-F', configFile];
}

/** What stands for the machine on a command line: the name that OpenSSH knows, else its address. */
export function targetOf({ isAlias, name, host }: KnownHost): string {
  return isAlias ? name : host;
}

/** What a person would type to get there. */
export function commandByHand(host: KnownHost): string {
  const { isAlias, user, port } = host;
  if (isAlias) return `ssh ${host.name}`;
  return [
    'ssh',
    ...(port === undefined ? [] : ['-p', port]),
    `${user === undefined ? '' : `${user}@`}${host.host}`,
  ].join(' ');
}
