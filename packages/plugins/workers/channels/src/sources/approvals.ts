/** Calls of agents that somebody has to decide about, of all processes. */
import { type Approvals, approvalQuestion, type HeldApproval, type WayOut } from '@tenon/approval/api';
import type { ApprovalChoice } from '@tenon/host';
import { TenonError } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { AnswerOutcome, OpenQuestion, QuestionSource } from '../question.ts';

const MAX_SUMMARY = 100;

/** The calls that wait. A yes from afar holds once; rules are made at the machine. */
export function approvalsSource(approvals: () => Promise<Approvals | undefined>): QuestionSource {
  const waiting = async () => ((await (await approvals())?.held()) ?? []).filter(({ state }) => state === 'waiting');
  return {
    open: async () => (await waiting()).map(openQuestion),
    async answer(id, answer, by): Promise<AnswerOutcome> {
      const held = (await waiting()).find((one) => idOf(one) === id);
      const choice = held && choicesOf(held).find(({ label }) => label === answer);
      const service = await approvals();
      if (!held || !choice || !service) return 'gone';
      try {
        const way = choice.way as WayOut | undefined;
        if (choice.allows) await service.answer(held.id, 'allow', { extent: 'once', ...(way && { way }) });
        else await service.answer(held.id, 'deny', { reason: `${by} said no` });
        return 'taken';
      } catch (fault) {
        // Answered, withdrawn or run out a moment ago.
        if (fault instanceof TenonError && !(await waiting()).some((one) => idOf(one) === id)) return 'gone';
        throw fault;
      }
    },
  };
}

/** The same call may be asked about again under the same id. */
function idOf({ id, since }: HeldApproval): string {
  return `${id}/${since}`;
}

function choicesOf(held: HeldApproval): readonly ApprovalChoice[] {
  const { choices } = approvalQuestion(held, false);
  return choices.filter(({ allows, extent }) => !allows || extent === 'once');
}

function openQuestion(held: HeldApproval): OpenQuestion {
  const question = approvalQuestion(held, false);
  const choices = choicesOf(held);
  const who = held.subagent === undefined ? 'An agent' : `The subagent ${plainLine(held.subagent)}`;
  const reasons = question.reasons.map((reason) => `- ${reason}`);
  return {
    id: idOf(held),
    title: `${who} asks for approval, tier ${held.tier}: ${plainLine(held.summary).slice(0, MAX_SUMMARY)}`,
    text: [`Tool: ${question.tool}`, `Folder: ${question.folder}`, ...reasons, ...question.notes].join('\n'),
    code: question.pieces.map(({ text }) => text).join(''),
    options: choices.map(({ label }) => label),
    takesText: false,
    blindOptions: choices.filter(({ allows }) => !allows).map(({ label }) => label),
  };
}
