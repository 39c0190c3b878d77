/** Which mechanism enforces sandboxes on this machine, and what is already around Tenon. */
import type { Accelerators } from '@tenon/native';
import { type Mechanism, MECHANISMS } from './settings.ts';

/** What was found. */
export interface MechanismChoice {
  readonly mechanism: Mechanism | undefined;
  /** Every mechanism with its version, or why it does not serve. */
  readonly abilities: Readonly<Record<Mechanism, { readonly available: boolean; readonly detail: string }>>;
  /** Why those before it do not serve. */
  readonly reasons: readonly string[];
  /** Signs that Tenon itself runs in a sandbox or container. */
  readonly outer: readonly string[];
  readonly bubblewrapPath: string | undefined;
}

/** Variables that sandboxes of agents set for what runs inside. */
const MARKS: Readonly<Record<string, string>> = {
  TENON_SANDBOX: "Tenon's sandbox",
  CODEX_SANDBOX: "Codex's sandbox",
  SANDBOX_RUNTIME: 'a sandbox runtime',
  APP_SANDBOX_CONTAINER_ID: 'the App Sandbox of macOS',
  FLATPAK_ID: 'Flatpak',
  SNAP: 'Snap',
};

/** Tries what the machine offers. A mechanism counts when it really works here, also inside of another sandbox. */
export async function findMechanism(
  sandbox: Accelerators['sandbox'],
  wanted: Mechanism | 'auto',
  env: NodeJS.ProcessEnv,
): Promise<MechanismChoice> {
  const probe = await sandbox.probe();
  const self = sandbox.selfRestriction();
  const abilities = {
    bubblewrap: probe.bubblewrap,
    seatbelt: probe.seatbelt,
    landlock: !self.available ? self : !probe.seccomp.available ? probe.seccomp : probe.landlock,
  };
  const candidates = wanted === 'auto' ? MECHANISMS : [wanted];
  const mechanism = candidates.find((name) => abilities[name].available);
  const marks = Object.entries(MARKS).flatMap(([name, what]) => {
    const value = env[name];
    return value === undefined ? [] : [value === '' ? what : `${what} (${name}=${value})`];
  });
  const privileges = probe.noNewPrivs ? ['this process cannot gain privileges any more (no_new_privs)'] : [];
  return {
    mechanism,
    abilities,
    reasons: candidates
      .filter((name) => !abilities[name].available)
      .map((name) => `${name}: ${abilities[name].detail}`),
    outer: [...marks, ...probe.surroundings, ...privileges],
    bubblewrapPath: probe.bubblewrapPath,
  };
}
