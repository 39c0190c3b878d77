/** Where commands run: under which sandbox profile, and what to say when the profile was in their way. */
import {
  type Confinement,
  type ConfinementRequest,
  type Profile,
  type Sandboxes,
  UNCONFINED,
} from '@tenon/sandbox/api';

const WIDTH: Readonly<Record<Profile, number>> = { 'read-only': 0, 'workspace-write': 1, full: 2 };

/** True when the first profile allows more than the second. */
export function isWider(profile: Profile, than: Profile): boolean {
  return WIDTH[profile] > WIDTH[than];
}

/** Asks the sandbox plugin, where there is one. */
export class Confiner {
  readonly #find: () => Promise<Sandboxes | undefined>;

  constructor(find: () => Promise<Sandboxes | undefined>) {
    this.#find = find;
  }

  /** Whether programs may run outside of a sandbox at all. */
  async mayLeave(): Promise<boolean> {
    return (await this.#find())?.isRequired !== true;
  }

  async profileFor(cwd: string): Promise<Profile> {
    return (await (await this.#find())?.profileFor({ cwd })) ?? 'full';
  }

  async confine(request: ConfinementRequest): Promise<Confinement> {
    // What runs without a sandbox on purpose needs no sandbox that works; secrets in the environment are taken out all the same.
    return (await (await this.#find())?.wrap(request)) ?? UNCONFINED;
  }
}

/** How programs complain about a file that they may not write or see, and about a network that is not there. */
const COMPLAINTS =
  /read-only file system|\bEROFS\b|device or resource busy|\bEBUSY\b|permission denied|\bE(?:ACCES|PERM)\b|operation not permitted|network is unreachable|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|could not resolve host|name resolution|name or service not known|(?:connection|proxy).{0,40}(?:refused|403)|\bECONNREFUSED\b/i;

/** What `curl -s` says about a network that is not there: nothing, with one of these. */
const SILENT_CURL = [6, 7];

/** How a command ended. */
export interface CommandEnd {
  readonly command: string;
  readonly exitCode: number | null;
  readonly output: string;
}

/** A line about the sandbox for a command that failed in a way that a sandbox makes commands fail. */
export function sandboxNotes(confinement: Confinement, end: CommandEnd): string[] {
  if (!looksConfined(confinement, end)) return [];
  return [`[${confinement.describe()} If the command must do more, call again with unsandboxed: true and a reason.]`];
}

/** The same for a command of the user, who has a shell outside. */
export function userSandboxNotes(confinement: Confinement, end: CommandEnd): string[] {
  if (!looksConfined(confinement, end)) return [];
  return [`[${confinement.describe()} Run it in your own terminal, or change the setting sandbox.profile.]`];
}

function looksConfined({ profile }: Confinement, { command, exitCode, output }: CommandEnd): boolean {
  if (profile === 'full' || exitCode === 0) return false;
  const isSilent = exitCode !== null && SILENT_CURL.includes(exitCode) && /\bcurl\b/.test(command);
  return isSilent || COMPLAINTS.test(output);
}
