import type { Approvals, HeldApproval } from '@tenon/approval/api';

/** Where to look, and for whom. */
export interface WaitingParts {
  readonly approvals: Pick<Approvals, 'held'>;
  /** Questions of this session are asked where they arise. */
  readonly exceptSession?: string;
}

/** The calls that wait for an answer elsewhere, oldest first. */
export async function waitingElsewhere({ approvals, exceptSession }: WaitingParts): Promise<readonly HeldApproval[]> {
  const all = await approvals.held();
  return all.filter(
    ({ state, session }) => state === 'waiting' && (session === undefined || session !== exceptSession),
  );
}
