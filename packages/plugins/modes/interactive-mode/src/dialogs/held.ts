/** Questions of other sessions and processes: a list, and the same dialog as for one's own. */
import {
  type Approvals,
  approvalQuestion,
  approvals as approvalsService,
  type HeldApproval,
} from '@tenon/approval/api';
import type { ApprovalDecision, ApprovalQuestion } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import { ApprovalDialog } from './approval-dialog.ts';
import { Countdown } from './countdown.ts';
import type { Seat } from '../seat.ts';
import { waitingElsewhere, type WaitingParts } from '../waiting-elsewhere.ts';
import type { DialogSeat } from './interface.ts';
import { SelectDialog } from './select-dialog.ts';
import type { FieldParts } from './text-dialog.ts';

/** What the held questions need. */
export interface HeldParts extends FieldParts, WaitingParts {
  readonly approvals: Pick<Approvals, 'held' | 'answer'>;
}

/** Shows what waits elsewhere, and takes answers until nothing waits or the user closes the list. */
export async function answerHeld(seat: DialogSeat, parts: HeldParts): Promise<void> {
  for (;;) {
    const waiting = await waitingElsewhere(parts);
    if (waiting.length === 0) return seat.notify('No other session waits for an answer.');
    const held = await pick(seat, waiting, parts);
    if (!held) return;
    const question = approvalQuestion(held, held.session !== undefined);
    const decision = await decide(seat, question, parts);
    if (decision) await answer(seat, parts, held, question, decision);
  }
}

/** Lets the user answer what other sessions ask. */
export async function openHeld(seat: DialogSeat & Pick<Seat, 'ctx' | 'agent'>): Promise<void> {
  const approvals = await seat.ctx.findOptional(approvalsService);
  if (!approvals) return seat.notify('Nothing asks for approval here: the plugin "approval" is off.', 'warning');
  await answerHeld(seat, { approvals, exceptSession: seat.agent.session.id });
}

async function pick(
  seat: DialogSeat,
  waiting: readonly HeldApproval[],
  parts: HeldParts,
): Promise<HeldApproval | undefined> {
  const options = waiting.map(({ summary, folder, tier, reasons }) => ({
    label: plainLine(summary),
    detail: plainLine(`in ${folder}, tier ${tier}: ${reasons.join('; ')}`),
  }));
  const at = await seat.ask<number>(
    (done) =>
      new SelectDialog(
        seat,
        { title: 'Calls of other sessions that wait for an answer', options },
        { ...parts, clock: unhurried(), done },
      ),
  );
  return at === undefined ? undefined : waiting[at];
}

function decide(seat: DialogSeat, question: ApprovalQuestion, parts: HeldParts): Promise<ApprovalDecision | undefined> {
  return seat.ask<ApprovalDecision>(
    (done) => new ApprovalDialog(seat, question, { ...parts, clock: unhurried(), done }),
  );
}

const unhurried = (): Countdown => new Countdown(undefined, () => undefined);

async function answer(
  seat: DialogSeat,
  { approvals }: HeldParts,
  { id, summary }: HeldApproval,
  { choices }: ApprovalQuestion,
  { choice: chosen, reason, instead }: ApprovalDecision,
): Promise<void> {
  const choice = choices.find((one) => one.id === chosen);
  if (!choice) return;
  const why = instead === undefined ? reason : `run this instead: ${instead}`;
  try {
    if (choice.allows) {
      const { extent, way } = choice;
      await approvals.answer(id, 'allow', { ...(extent && { extent }), ...(way && { way }) });
    } else await approvals.answer(id, 'deny', { ...(why !== undefined && { reason: why }) });
    seat.notify(`${choice.allows ? 'Allowed' : 'Denied'}: ${plainLine(summary)}`);
  } catch (fault) {
    // Somebody else may have answered meanwhile.
    seat.notify(messageOf(fault), 'warning');
  }
}
