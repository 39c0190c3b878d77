/**
 * Plans: what to do for a request, step by step. A plan is a generator that yields tool calls and gets their results.
 *
 * A provider has no memory between calls, so a plan is run again from its start on every turn, fed with the results that
 * the conversation already holds. Plans must therefore depend on nothing but the request and those results.
 */
import type { FileFacts } from './code/facts.ts';
import type { Source } from './code/study.ts';
import type { Question, Request } from './request.ts';

/** One tool call of a plan. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** True when the plan itself deals with a failure; otherwise a failure ends the plan and is told. */
  readonly mayFail?: boolean;
}

/** Calls that go out together, with a line that says what for. */
export interface Step {
  readonly say?: string;
  readonly calls: readonly PlannedCall[];
  /** Texts to be parsed before the plan goes on; needs no tool. */
  readonly study?: Study;
}

/** Texts to be parsed, the names that matter in them, and what came out. */
export interface Study {
  readonly sources: readonly Source[];
  readonly names: readonly string[];
  readonly facts: Map<string, FileFacts | { readonly problem: string }>;
}

/** What a tool gave back. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** How a plan ended. */
export interface Outcome {
  readonly text: string;
  readonly question?: Question;
  /** True when the request could not be carried out; what was to follow it is left undone. */
  readonly failed?: boolean;
  /** True when no rule can do it and a language model could. */
  readonly needsModel?: boolean;
  /** True when code was changed; the answer says that it is untested, unless tests follow. */
  readonly isUntested?: boolean;
}

/** A running plan. */
export type Running = Generator<Step, Outcome, readonly CallResult[]>;

/** What a plan can see beside its request. */
export interface Desk {
  has(tool: string): boolean;
}

/** Carries out one kind of request. */
export type Plan = (request: Request, desk: Desk) => Running;

/** Makes one call and gives its result. */
export function* call(
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: { readonly say?: string; readonly mayFail?: boolean } = {},
): Generator<Step, CallResult, readonly CallResult[]> {
  const { say, mayFail } = options;
  const [result] = yield {
    ...(say !== undefined && { say }),
    calls: [{ name, arguments: args, ...(mayFail && { mayFail }) }],
  };
  return result ?? { text: '', isError: true };
}

/** Ends with a plain answer. */
export function said(text: string): Outcome {
  return { text };
}

/** Ends without having done what was asked. */
export function failed(text: string): Outcome {
  return { text, failed: true };
}

/** Ends without having done what was asked: that takes a language model. */
export function beyondRules(text: string): Outcome {
  return { text, failed: true, needsModel: true };
}

/** An outcome that is a question. */
export type Asked = Outcome & { readonly question: Question };

/** Ends with a question. */
export function ask(question: Question): Asked {
  return { text: questionText(question), question, failed: true };
}

/** A question as the user reads it. */
export function questionText({ text, choices = [] }: Question): string {
  if (choices.length === 0) return `${text}\n\n${HOW_TO_ANSWER} \`tenon -c -p "…"\`.`;
  const numbered = choices.map(({ label }, index) => `${index + 1}. ${label}`);
  return [text, '', ...numbered, '', `Answer with a number. ${HOW_TO_ANSWER} \`tenon -c -p 1\`.`].join('\n');
}

const HOW_TO_ANSWER = 'On the command line:';

const NO_STEPS: readonly Step[] = [];

/** A plan that answers without calling anything. */
export function answers(make: (request: Request) => Outcome): Plan {
  return function* (request) {
    yield* NO_STEPS;
    return make(request);
  };
}
