/** Puts a policy into words for the mechanism of this machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Accelerators, loadAccelerator } from '@tenon/native';
import { findMechanism, type MechanismChoice } from '../find-mechanism.ts';
import { isInside } from '../paths.ts';
import { privatePrefix, privateRoot } from '../private-folders.ts';
import { hold, passOn } from '../held-places.ts';
import type { Mechanism } from '../settings.ts';
import { bubblewrap } from './bubblewrap.ts';
import { landlock } from './landlock.ts';
import type { LaunchPolicy } from './launch-policy.ts';
import type { WrapOptions, Wrapping } from './mechanism.ts';
import { seatbelt } from './seatbelt.ts';

/** A mechanism that works here. */
export type WorkingMechanism = MechanismChoice & { readonly mechanism: Mechanism };

/** Holds the places that must not come into being, and makes the words. `release` lets the places go; with `outlive` another process keeps them, too. */
export function wrapBy(
  choice: WorkingMechanism,
  sandbox: Accelerators['sandbox'],
  asked: WrapOptions,
): Wrapping & { release(): void; outlive(pid: number): void } {
  const policy = withoutPrivateFolders(asked.policy);
  const options = { ...asked, policy };
  // Landlock can keep nothing unchanged inside of a writable folder, so holding a place would not help.
  const places = [...policy.reserved.map((path) => ({ path })), ...(policy.reservedFiles ?? [])];
  const held = choice.mechanism === 'landlock' ? [] : places.map((place) => hold(place));
  const release = () => held.splice(0).forEach((leave) => leave());
  try {
    const outlive = (pid: number) => {
      if (choice.mechanism !== 'landlock') for (const { path } of places) passOn(path, pid);
    };
    return { ...wrapping(choice, sandbox, options), release, outlive };
  } catch (fault) {
    release();
    throw fault;
  }
}

/**
 * Every sandbox has a /tmp of its own. Where TMPDIR lies in something that a program may write to, all of it is hidden: what confines
 * programs is there, and scripts that are started outside. Elsewhere only what confines programs is.
 */
function withoutPrivateFolders(policy: LaunchPolicy): LaunchPolicy {
  const own = privateRoot();
  const temporary = dirname(own);
  const isWritable = policy.write.some((root) => root !== temporary && isInside(temporary, root));
  const isRead = policy.read.some((root) => root !== '/' && isInside(own, root)) || policy.write.includes(temporary);
  if (!isWritable && !isRead && (policy.system === 'node' || isInside(own, '/tmp'))) return policy;
  return { ...policy, hidden: [...policy.hidden, { path: isWritable ? temporary : own, directory: true }] };
}

function wrapping(choice: WorkingMechanism, sandbox: Accelerators['sandbox'], options: WrapOptions): Wrapping {
  switch (choice.mechanism) {
    case 'bubblewrap':
      return bubblewrap(sandbox, choice.bubblewrapPath ?? 'bwrap', options);
    case 'landlock':
      return landlock(sandbox, options);
    case 'seatbelt':
      return seatbelt(sandbox, options);
  }
}

/** Finds the strongest mechanism that works here, or the one asked for. */
export async function chooseMechanism(wanted: Mechanism | 'auto'): Promise<MechanismChoice> {
  return findMechanism(await loadAccelerator('sandbox'), wanted, process.env);
}

/** A process that is ready to be started under a policy. */
export interface PreparedLaunch extends Omit<Wrapping, 'argv'> {
  /** The words before the program. */
  readonly argv: readonly string[];
  /** Removes what the launch left on disk; for after the process has ended. */
  dispose(): void;
}

/** Prepares the start of one process under a policy of its own. */
export async function prepareLaunch(choice: WorkingMechanism, policy: LaunchPolicy): Promise<PreparedLaunch> {
  const sandbox = await loadAccelerator('sandbox');
  const folder = mkdtempSync(privatePrefix());
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const {
      argv,
      release,
      outlive: _outlive,
      ...rest
    } = wrapBy(choice, sandbox, { policy, folder, terminal: false, proxy: undefined });
    return { ...rest, argv: argv({}), dispose: () => (remove(), release()) };
  } catch (fault) {
    remove();
    throw fault;
  }
}
