/** Puts a policy into words for the mechanism of this machine. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accelerators, loadAccelerator } from '@tenon/native';
import { findMechanism, type MechanismChoice } from '../find-mechanism.ts';
import { PRIVATE_PREFIX } from '../private-folders.ts';
import { hold } from '../held-places.ts';
import type { Mechanism } from '../settings.ts';
import { bubblewrap } from './bubblewrap.ts';
import { landlock } from './landlock.ts';
import type { LaunchPolicy } from './launch-policy.ts';
import type { WrapOptions, Wrapping } from './mechanism.ts';
import { seatbelt } from './seatbelt.ts';

/** A mechanism that works here. */
export type WorkingMechanism = MechanismChoice & { readonly mechanism: Mechanism };

/** Holds the places that must not come into being, and makes the words. `release` lets the places go. */
export function wrapBy(
  choice: WorkingMechanism,
  sandbox: Accelerators['sandbox'],
  options: WrapOptions,
): Wrapping & { release(): void } {
  const { policy } = options;
  // Landlock can keep nothing unchanged inside of a writable folder, so holding a place would not help.
  const places = [...policy.reserved.map((path) => ({ path })), ...(policy.reservedFiles ?? [])];
  const held = choice.mechanism === 'landlock' ? [] : places.map((place) => hold(place));
  const release = () => held.splice(0).forEach((leave) => leave());
  try {
    return { ...wrapping(choice, sandbox, options), release };
  } catch (fault) {
    release();
    throw fault;
  }
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
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${PRIVATE_PREFIX}${process.pid}-`)));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { argv, release, ...rest } = wrapBy(choice, sandbox, { policy, folder, terminal: false, proxy: undefined });
    return { ...rest, argv: argv({}), dispose: () => (remove(), release()) };
  } catch (fault) {
    remove();
    throw fault;
  }
}
