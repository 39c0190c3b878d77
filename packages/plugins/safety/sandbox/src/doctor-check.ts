import type { DoctorFinding } from '@tenon/doctor/api';
import type { MechanismChoice } from './find-mechanism.ts';
import type { ProfileChoice } from './sandboxes.ts';
import type { SandboxSettings } from './generated/settings.ts';

const INSTALL = 'Install bubblewrap (`apt install bubblewrap` on Debian and Ubuntu)';

/** What a session is told where nothing confines its programs; nothing where one does, or the user wants none. */
export function noticeOf(profile: ProfileChoice, settings: SandboxSettings): string | undefined {
  if (profile.profile !== 'full' || settings.profile === 'full') return undefined;
  return `Programs of the agent run without a sandbox: ${profile.reason}. ${INSTALL}, or see \`tenon sandbox status\`.`;
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
    const next = `${INSTALL}, or set ${settled}.`;
    return [{ name: 'profile', status: 'problem', text, next }];
  }
  if (profile.profile === 'full') {
    const text = `programs run without a sandbox: ${profile.reason}`;
    const next =
      wanted === 'full'
        ? '`tenon config unset sandbox.profile` lets Tenon use one where it works.'
        : `${INSTALL}. With \`tenon config set sandbox.required true\` nothing runs without one.`;
    return [{ name: 'profile', status: 'warning', text, next }];
  }
  if (mechanism === 'landlock' && settings.network.allow.length > 0) {
    const text = 'sandbox.network.allow cannot be enforced with Landlock alone';
    return [{ name: 'network', status: 'problem', text, next: 'Install bubblewrap, or empty the list.' }];
  }
  const text = `${profile.profile}, enforced by ${mechanism} (${choice.abilities[mechanism ?? 'bubblewrap'].detail})`;
  return [{ name: 'profile', status: 'ok', text }];
}
