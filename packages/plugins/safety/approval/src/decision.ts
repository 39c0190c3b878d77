/** A question about a call as data, for user interfaces that show more than a list of answers. */
import type { ApprovalChoice, ApprovalDecision, ApprovalQuestion } from '@tenon/host';
import type { HeldApproval, WayOut } from './api.ts';
import { type Choice, choicesFor, type Offered, rulesBy } from './choices.ts';
import type { RuleData } from './policy/rule.ts';
import { refusalText, stoppedText, variablesOf, visible } from './question.ts';

/** What somebody said to a call; no choice when nobody did. */
export interface Answer {
  readonly choice: Choice | undefined;
  readonly reason?: string;
  readonly instead?: string;
}

/** The question about a held call. Without its rules, the choices do not say what they would write. */
export function approvalQuestion(held: HeldApproval & Offered, hasSession: boolean): ApprovalQuestion {
  const { id, tool, input, folder, session, subagent, text, tier, reasons, refused } = held;
  const choices = [...choicesFor(held, hasSession).values()];
  return {
    id,
    tool: visible(tool),
    input,
    folder: visible(folder),
    ...(session !== undefined && { session }),
    ...(subagent !== undefined && { subagent: visible(subagent) }),
    pieces: piecesOf(held),
    tier,
    reasons: reasons.map(visible),
    notes: notesOf(held),
    isSecondRun: refused !== undefined,
    ...(text === input['command'] && { command: text }),
    choices: choices.map((choice, index) => choiceData(choice, String(index), held)),
  };
}

/** What a decision means for the call that was asked about. A choice that was not offered is no answer. */
export function answerBy(decision: ApprovalDecision | undefined, held: Offered, hasSession: boolean): Answer {
  const choice = [...choicesFor(held, hasSession).values()].find((_, index) => decision?.choice === String(index));
  const { reason, instead } = decision ?? {};
  return { choice, ...(reason !== undefined && { reason }), ...(instead !== undefined && { instead }) };
}

function piecesOf({ text, spans }: Pick<HeldApproval, 'text' | 'spans'>): ApprovalQuestion['pieces'] {
  let at = 0;
  const pieces = spans.flatMap(({ start, end }) => {
    const around = { text: visible(text.slice(at, start)), isRisky: false };
    at = end;
    return [around, { text: visible(text.slice(start, end)), isRisky: true }];
  });
  return [...pieces, { text: visible(text.slice(at)), isRisky: false }].filter((piece) => piece.text !== '');
}

function notesOf(held: HeldApproval): string[] {
  const { refused, expected } = held;
  const variables = variablesOf(held).trim();
  return [
    ...(variables === '' ? [] : [`${variables}.`]),
    ...(refused ? [`It has run once in the sandbox and failed: ${refusalText(refused)}.`] : []),
    ...(refused ? ['It may do something else the second time.'] : []),
    ...(expected ? [stoppedText(held, expected)] : []),
  ];
}

const EXTENTS = { once: 'Allow once', session: 'Allow for this session', always: 'Always allow' } as const;
const WAYS: Readonly<Record<WayOut, string>> = {
  network: ', with the network, still in the sandbox',
  outside: ', outside of the sandbox',
};

function choiceData(choice: Choice, id: string, held: Offered): ApprovalChoice {
  if (choice === 'deny') return { id, label: 'Deny', allows: false };
  const { extent, way } = choice;
  const inside = held.expected === undefined ? '' : ', in the sandbox as it is';
  const rules = extent === 'once' ? [] : rulesBy(held, way).map(ruleText);
  return {
    id,
    label: `${EXTENTS[extent]}${way === undefined ? inside : WAYS[way]}`,
    allows: true,
    extent,
    ...(way && { way }),
    ...(rules.length > 0 && { rules }),
  };
}

/** A rule as a person reads it: `allow bash: git push *`. */
function ruleText({ decide, tool = '*', command, path, sandbox, tier3 }: RuleData): string {
  const words = command ?? path ?? 'exactly this call';
  const names = typeof tool === 'string' ? tool : tool.join(', ');
  const place = sandbox === undefined ? '' : WAYS[sandbox];
  const harm = tier3 === true ? ', although it can destroy something' : '';
  return visible(`${decide} ${names}: ${typeof words === 'string' ? words : words.join(' ')}${place}${harm}`);
}
