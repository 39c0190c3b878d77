import type { DoctorFinding } from '@tenon/doctor/api';
import type { MechanismChoice } from './find-mechanism.ts';
import type { ProfileChoice } from './sandboxes.ts';
import type { SandboxSettings } from './generated/settings.ts';

const INSTALL = 'Install bubblewrap (`apt install bubblewrap` on Debian and Ubuntu)';
const IN_CONTAINER =
  'Start the container with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined` (Podman: `--security-opt unmask=ALL`), so that bubblewrap can start';
const BLOCKED = 'Allow what stops bubblewrap here, mostly user namespaces that the system restricts';

/** What lets bubblewrap work here: one that is there and runs, but cannot start a command, need not be installed. */
function remedy({ abilities, outer }: MechanismChoice): string {
  if (!abilities.bubblewrap.detail.includes('does not start a command')) return INSTALL;
  return outer.some((sign) => /\bcontainer \(/.test(sign)) ? IN_CONTAINER : BLOCKED;
}

/** What a session is told where nothing confines its programs; nothing where one does, or the user wants none. */
export function noticeOf(
  choice: MechanismChoice,
  profile: ProfileChoice,
  settings: SandboxSettings,
): string | undefined {
  if (profile.profile !== 'full' || settings.profile === 'full') return undefined;
  return `Programs of the agent run without a sandbox: ${profile.reason}. ${remedy(choice)}, or see \`tenon sandbox status\`.`;
}

/** What `tenon doctor` says about the sandbox of commands. */
export function findingsOf(
  choice: MechanismChoice,
  profile: ProfileChoice,
  settings: SandboxSettings,
): DoctorFinding[] {
  const { mechanism, reasons } = choice;
  const wanted = settings.profile;
  const isAsked = settings.required || (wanted === 'auto' ? settings.mechanism !== 'auto' : wanted !== 'full');
  if (isAsked && mechanism === undefined) {
    const text = `${profile.profile} is asked for and cannot be enforced: ${reasons.join('; ')}`;
    const settled = settings.required ? 'sandbox.required to false' : 'sandbox.profile and sandbox.mechanism to "auto"';
    const next = `${remedy(choice)}, or set ${settled}.`;
    return [{ name: 'profile', status: 'problem', text, next }];
  }
  if (profile.profile === 'full') {
    const text = `programs run without a sandbox: ${profile.reason}`;
    const next =
      wanted === 'full'
        ? '`tenon config unset sandbox.profile` lets Tenon use one where it works.'
        : `${remedy(choice)}. With \`tenon config set sandbox.required true\` nothing runs without one.`;
    return [{ name: 'profile', status: 'warning', text, next }];
  }
  if (mechanism === 'landlock' && settings.network.allow.length > 0) {
    const text = 'sandbox.network.allow cannot be enforced with Landlock alone';
    return [{ name: 'network', status: 'problem', text, next: `${remedy(choice)}, or empty the list.` }];
  }
  const text = `${profile.profile}, enforced by ${mechanism} (${choice.abilities[mechanism ?? 'bubblewrap'].detail})`;
  return [{ name: 'profile', status: 'ok', text }];
}
