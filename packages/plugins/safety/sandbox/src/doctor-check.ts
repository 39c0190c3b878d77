import type { DoctorFinding } from '@tenon/doctor/api';
import type { MechanismChoice } from './find-mechanism.ts';
import type { ProfileChoice } from './sandboxes.ts';
import type { SandboxSettings } from './generated/settings.ts';

/** What `tenon doctor` says about the sandbox of commands. */
export function findingsOf(
  choice: MechanismChoice,
  profile: ProfileChoice,
  settings: SandboxSettings,
): DoctorFinding[] {
  const { mechanism, reasons } = choice;
  const wanted = settings.profile;
  const isAsked = wanted === 'auto' ? settings.mechanism !== 'auto' : wanted !== 'full';
  if (isAsked && mechanism === undefined) {
    const text = `${profile.profile} is asked for and cannot be enforced: ${reasons.join('; ')}`;
    const next = 'Install bubblewrap, or set sandbox.profile and sandbox.mechanism to "auto".';
    return [{ name: 'profile', status: 'problem', text, next }];
  }
  if (profile.profile === 'full') {
    const text = `programs run without a sandbox: ${profile.reason}`;
    const next =
      wanted === 'full'
        ? '`tenon config unset sandbox.profile` lets Tenon use one where it works.'
        : 'Install bubblewrap.';
    return [{ name: 'profile', status: 'warning', text, next }];
  }
  if (mechanism === 'landlock' && settings.network.allow.length > 0) {
    const text = 'sandbox.network.allow cannot be enforced with Landlock alone';
    return [{ name: 'network', status: 'problem', text, next: 'Install bubblewrap, or empty the list.' }];
  }
  const text = `${profile.profile}, enforced by ${mechanism} (${choice.abilities[mechanism ?? 'bubblewrap'].detail})`;
  return [{ name: 'profile', status: 'ok', text }];
}
