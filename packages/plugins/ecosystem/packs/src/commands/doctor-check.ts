import type { DoctorFinding } from '@tenon/doctor/api';
import { findPacks } from '../find-packs.ts';
import { mayStart } from '../may-start.ts';
import type { CommandParts } from './parts.ts';

/** The part of `tenon doctor` about packs. Starts none of them; `tenon plugin doctor` does. */
export async function checkPacks(parts: CommandParts): Promise<DoctorFinding[]> {
  const { packs, problems } = await findPacks(parts.folders);
  const { mechanism, reasons } = await (await parts.hosts()).sandbox();
  const sandbox: DoctorFinding =
    mechanism === undefined
      ? {
          name: 'isolation',
          status: packs.length > 0 ? 'problem' : 'warning',
          text: `packs cannot be isolated here (${reasons.join('; ')})`,
          next: 'Install bubblewrap; until then packs start only with full trust.',
        }
      : { name: 'isolation', status: 'ok', text: `packs run under ${mechanism}` };
  const states = packs.map((pack): DoctorFinding => {
    const { id } = pack.manifest;
    const decision = mayStart(pack);
    if (!decision.start) return { name: id, status: 'warning', text: `does not start: ${decision.reason}` };
    const full = decision.trust === 'full';
    const text = full ? 'runs with full trust, without a sandbox' : 'starts isolated on first use';
    return full
      ? { name: id, status: 'warning', text, next: `Take it back with \`tenon plugin trust ${id} --revoke\`.` }
      : { name: id, status: 'ok', text };
  });
  const broken = problems.map(({ message, next }): DoctorFinding => ({
    name: 'broken pack',
    status: 'problem',
    text: message,
    next,
  }));
  return [sandbox, ...states, ...broken];
}
