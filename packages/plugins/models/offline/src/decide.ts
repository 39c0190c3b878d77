/** What to do next in a conversation: the heart of the offline model. Nothing but the conversation decides. */
import type { ModelMessage, ModelTool, NotDone, ToolChoice } from '@tenon/models/api';
import { type Round, type Turn, turnsOf } from './conversation.ts';
import { interpret } from './language/interpret.ts';
import { WHOLE_PROJECT } from './language/scope.ts';
import type { Parser } from './parser.ts';
import { ask, type Outcome, type PlannedCall, type Running } from './plan.ts';
import { startPlan } from './plans/index.ts';
import type { Question, Request } from './request.ts';

/** The next answer of the model. */
export interface Decision {
  readonly text: string;
  /** Empty when the answer is final. */
  readonly calls: readonly PlannedCall[];
  /** Set when the answer is final and what was asked is not done. */
  readonly notDone?: NotDone;
}

/** What is asked. */
export interface Situation {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly Pick<ModelTool, 'name'>[];
  readonly toolChoice?: ToolChoice;
  readonly parser: Parser;
}

/** Decides. */
export async function decide({ messages, tools, toolChoice, parser }: Situation): Promise<Decision> {
  const turns = turnsOf(messages);
  const last = turns.at(-1);
  if (!last) return { text: 'What should I do? Say "help" to see what I can do without a model.', calls: [] };
  const offered = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
  const step = await follow(turns, turns.length - 1, { offered, parser });
  if (step.type === 'calls') return { text: step.say, calls: step.calls };
  const { outcome } = step;
  const notDone = last.hasImage ? 'needs-model' : notDoneOf(outcome);
  const blind = last.hasImage ? 'I cannot see images; that needs a real model.\n\n' : '';
  return { text: `${blind}${outcome.text}`, calls: [], ...(notDone && { notDone }) };
}

function notDoneOf({ failed, needsModel, question }: Outcome): NotDone | undefined {
  if (needsModel) return 'needs-model';
  if (question) return 'question';
  return failed ? 'failed' : undefined;
}

type Followed =
  | { readonly type: 'calls'; readonly say: string; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'outcome'; readonly outcome: Outcome };

interface Means {
  readonly offered: ReadonlySet<string>;
  readonly parser: Parser;
}

/** Runs the plan of one turn over what has already happened in it. */
async function follow(turns: readonly Turn[], at: number, means: Means): Promise<Followed> {
  const turn = turns[at];
  if (!turn) return { type: 'outcome', outcome: { text: '' } };
  const meaning = await meaningOf(turns, at, means);
  if (!('intent' in meaning)) return { type: 'outcome', outcome: ask(meaning) };
  return replay(startPlan(meaning, { has: (tool) => means.offered.has(tool) }), turn.rounds, means);
}

async function replay(plan: Running, rounds: readonly Round[], { offered, parser }: Means): Promise<Followed> {
  let next = plan.next([]);
  for (let index = 0; next.done !== true; index++) {
    const { calls, say = '', study } = next.value;
    if (study) {
      await parser.carryOut(study);
      next = plan.next([]);
      index--;
      continue;
    }
    const missing = calls.map(({ name }) => name).find((name) => !offered.has(name));
    if (missing !== undefined) return ended(missingTool(missing, offered));
    const round = rounds[index];
    if (!round) return { type: 'calls', say, calls };
    if (!sameCalls(calls, round.calls)) {
      return ended(
        'What was done so far does not fit what I would do, so I stop here. Ask again, and I start from the beginning.',
      );
    }
    const failure = calls.findIndex(
      (call, position) => round.results[position]?.isError === true && call.mayFail !== true,
    );
    if (failure >= 0) return ended(`The tool \`${calls[failure]?.name}\` failed: ${round.results[failure]?.text}`);
    next = plan.next(round.results);
  }
  return { type: 'outcome', outcome: next.value };
}

function ended(text: string): Followed {
  return { type: 'outcome', outcome: { text, failed: true } };
}

function missingTool(name: string, offered: ReadonlySet<string>): string {
  const has =
    offered.size > 0
      ? `It offers ${[...offered].map((tool) => `\`${tool}\``).join(', ')}.`
      : 'It offers no tools at all.';
  return `This needs the tool \`${name}\`, which this session does not offer. ${has} Nothing was changed by this step.`;
}

function sameCalls(planned: readonly PlannedCall[], actual: Round['calls']): boolean {
  return (
    planned.length === actual.length &&
    planned.every(
      ({ name, arguments: args }, index) => name === actual[index]?.name && sameJson(args, actual[index]?.arguments),
    )
  );
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length && left.every(([key, value]) => sameJson(value, (b as Record<string, unknown>)[key]))
  );
}

/** The request of a turn: what its words say, or what they answer. */
async function meaningOf(turns: readonly Turn[], at: number, means: Means): Promise<Request | Question> {
  const text = turns[at]?.text ?? '';
  const question = at > 0 ? await openQuestion(turns, at - 1, means) : undefined;
  const chosen = question && chosenAnswer(question, text);
  if (chosen) return chosen;
  const reading = interpret(text);
  if (reading.type === 'request') return reading.request;
  const filled = question?.fill?.(text);
  if (filled) return filled;
  if (reading.type === 'question') return reading.question;
  return { intent: 'unknown', slots: {}, scope: WHOLE_PROJECT, ignoreCase: false, text };
}

/** The question that a turn ended with. */
async function openQuestion(turns: readonly Turn[], at: number, means: Means): Promise<Question | undefined> {
  // Working out what was asked means running that turn's plan again, and maybe that of the turn before it.
  if (!/\?|Answer with a number\./.test(turns[at]?.answer ?? '')) return undefined;
  const step = await follow(turns, at, means);
  return step.type === 'outcome' ? step.outcome.question : undefined;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** The choice that an answer names, by number or by words. */
function chosenAnswer({ choices = [] }: Question, answer: string): Request | undefined {
  const text = bare(answer);
  const number = /^\d+$/.test(text) ? Number(text) - 1 : ORDINALS.indexOf(text);
  if (number >= 0) return choices[number]?.request;
  return choices.find(({ label, words }) => [label, ...words].some((word) => bare(word) === text))?.request;
}

/** An answer without what people put around it: "the first one, please" is "first". */
function bare(answer: string): string {
  return answer
    .trim()
    .toLowerCase()
    .replace(/[`"']/g, '')
    .replace(/[.!)]+$/, '')
    .replace(/[,\s]*\b(?:please|thanks)$/, '')
    .replace(/^(?:please|the|number|option|choice|#|\(|take|use|only|just|in|one in)\b[\s#(]*/, '')
    .replace(/^(?:the|one|in|only)\s+(?:one\s+)?(?:in\s+)?/, '')
    .replace(/\s+(?:one|only)$/, '')
    .trim();
}
