/** What other plugins may use of SSH: the slot for those who know hosts. */
import { slot } from '@tenon/kernel';

/** A machine that can be reached by name. */
export interface KnownHost {
  readonly name: string;
  /** The file or setting that names it. */
  readonly file: string;
  /** Host name or address. */
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** The private key. */
  readonly identityFile?: string;
  readonly description?: string;
  /** True for a `Host` of the user's OpenSSH configuration: OpenSSH itself finds out the rest by the name. */
  readonly isAlias?: boolean;
  /** For hosts that a project brings: the folder that must be trusted. */
  readonly project?: string;
}

/** Finds hosts for a folder, the most important first. Nothing is contacted. */
export interface HostFinder {
  find(cwd: string, signal?: AbortSignal): Promise<readonly KnownHost[]>;
}

/** Those who know hosts, by name. Not for packs: a host decides where commands and keys go. */
export const sshHostFinders = slot<HostFinder>('ssh-host-finders');

export { errors } from './errors.ts';
