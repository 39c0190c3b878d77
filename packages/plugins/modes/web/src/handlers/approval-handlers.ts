/** Routes of calls that wait for a person's yes or no, of all processes of the user: also of those that no page has opened. */
import { type Approvals, approvalQuestion, type HeldApproval, type WayOut } from '@tenon/approval/api';
import { TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Handlers } from '../server/app.ts';
import type { Approval, Question } from '../shapes.ts';

/** Where approvals come from; undefined where the plugin is switched off. */
export interface ApprovalParts {
  approvals(): Promise<Approvals | undefined>;
}

type Live = Pick<LiveSessions, 'questions' | 'isOpen'>;

/** The calls that wait and that no open session asks about by itself. */
export async function waitingApprovals(parts: ApprovalParts, live: Live): Promise<Approval[]> {
  return (await held(parts)).filter((call) => !isAskedHere(call, live)).map(shown);
}

/** The routes over the approvals. */
export function approvalHandlers(parts: ApprovalParts, live: Live): Pick<Handlers, 'listApprovals' | 'answerApproval'> {
  return {
    listApprovals: async () => ({ approvals: await waitingApprovals(parts, live) }),
    async answerApproval({ params, body }) {
      const gone = (cause?: unknown) => errors.create('WEB_APPROVAL_GONE', { id: params.id }, cause);
      const service = await parts.approvals();
      const call = (await held(parts)).find((one) => idOf(one) === params.id);
      const choice = call && choicesOf(call).find(({ id }) => id === body.choice);
      if (!service || !call) throw gone();
      if (!choice) throw errors.create('WEB_INVALID', { problems: `"${body.choice}" is none of its choices` });
      try {
        const way = choice.way as WayOut | undefined;
        if (choice.allows) await service.answer(call.id, 'allow', { extent: 'once', ...(way && { way }) });
        else await service.answer(call.id, 'deny', {});
      } catch (fault) {
        // Answered, withdrawn or run out a moment ago.
        if (fault instanceof TenonError && !(await held(parts)).some((one) => idOf(one) === params.id))
          throw gone(fault);
        throw fault;
      }
      return { done: true };
    },
  };
}

async function held(parts: ApprovalParts): Promise<readonly HeldApproval[]> {
  const all = (await (await parts.approvals())?.held()) ?? [];
  return all.filter(({ state }) => state === 'waiting');
}

/** The same call may be asked about again under the same id. */
const idOf = ({ id, since }: HeldApproval) => `${id}-${Date.parse(since)}`;

/** A yes that lasts says which rule it writes; only the process that asks knows that. */
function choicesOf(call: HeldApproval) {
  return approvalQuestion(call, false).choices.filter(({ allows, extent }) => !allows || extent === 'once');
}

function shown(call: HeldApproval): Approval {
  const { tool, folder, session, subagent, tier, reasons, notes, pieces } = approvalQuestion(call, false);
  return {
    id: idOf(call),
    tool,
    folder,
    ...(session !== undefined && { session }),
    ...(subagent !== undefined && { subagent }),
    tier,
    reasons: [...reasons],
    notes: [...notes],
    text: pieces.map(({ text }) => text).join(''),
    choices: choicesOf(call).map(({ id, label }) => ({ id, label })),
    since: call.since,
  };
}

/** A session of this server asks about its calls, and about those of its subagents, in its own words. */
function isAskedHere({ session, subagent }: HeldApproval, live: Live): boolean {
  if (session !== undefined && live.isOpen(session)) return true;
  return subagent !== undefined && live.questions.some(isAboutCall);
}

function isAboutCall({ method, options }: Question): boolean {
  return method === 'select' && ['Deny', 'No'].includes(options?.at(-1) ?? '');
}
