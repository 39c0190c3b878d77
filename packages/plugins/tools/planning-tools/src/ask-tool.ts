import { explainFailures, textResult, type Tool, type ToolResult } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import type { DialogOptions, UserInterface } from '@tenon/host';
import type { AskAnswer } from './api.ts';
import type { PlanningHost } from './host.ts';
import { prompts } from './prompts/index.ts';

const OTHER = 'Other (type your own)';
const DONE = 'Done selecting';
const BACK = 'Back to the previous question';
const RECOMMENDED = ' (Recommended)';

interface Question {
  readonly id: string;
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multi?: boolean;
  readonly recommended?: number;
}

/** What came of one question. */
type Outcome = AskAnswer | 'back' | 'cancelled';

/** The tool that asks the user. */
export function createAskTool(host: Pick<PlanningHost, 'config' | 'agents' | 'userInterface'>): Tool {
  return explainFailures({
    description: prompts.ask(),
    parameters: Type.Object(
      {
        questions: Type.Array(
          Type.Object(
            {
              id: Type.String({ description: 'Short name for the answer' }),
              question: Type.String(),
              options: Type.Array(
                Type.Object(
                  { label: Type.String(), description: Type.Optional(Type.String()) },
                  { additionalProperties: false },
                ),
              ),
              multi: Type.Optional(Type.Boolean()),
              recommended: Type.Optional(Type.Integer({ description: 'Index, from 0' })),
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, { signal, scope }) {
      const questions = input['questions'] as readonly Question[];
      const ui = await host.userInterface();
      if (!ui.canAsk()) return nobodyThere(questions);
      const agent = scope && host.agents.get(scope.session);
      const isPlanning = agent?.session.context().mode === 'plan';
      const dialog = { ui, signal, timeoutMs: isPlanning ? 0 : host.config.ask.timeout * 1000 };
      const cancelled = (): ToolResult => {
        // Whoever closes a question wants to say something else first: the run stops, not only this call.
        void agent?.abort();
        const text = 'Ask tool was cancelled by the user. Stop and wait for what the user says next.';
        return { ...textResult(text), isError: true };
      };
      if (ui.fillIn) {
        const filled = await askAtOnce(ui.fillIn, questions, {
          signal,
          ...(dialog.timeoutMs > 0 && { timeoutMs: dialog.timeoutMs }),
        });
        signal.throwIfAborted();
        return filled ? report(filled) : cancelled();
      }
      // A form calls for the user by itself; a line about it would stay behind.
      if (host.config.ask.notify) ui.notify('Waiting for your answer');
      const answers: AskAnswer[] = [];
      while (answers.length < questions.length) {
        const question = questions[answers.length];
        if (!question) break;
        const outcome = await askOne(question, answers.length > 0, dialog);
        signal.throwIfAborted();
        if (outcome === 'cancelled') return cancelled();
        if (outcome === 'back') answers.pop();
        else answers.push(outcome);
      }
      return report(answers);
    },
  });
}

function nobodyThere(questions: readonly Question[]): ToolResult {
  const rows = questions.map(({ id, options, recommended }) => {
    const label = options[recommended ?? -1]?.label ?? options[0]?.label;
    return `- ${id}: ${label === undefined ? 'decide yourself' : label}`;
  });
  const text = [
    'Nobody can answer here: this run has no interactive user. Decide yourself, and say which assumption you made.',
    'What you recommended:',
    ...rows,
  ].join('\n');
  return { ...textResult(text, { unanswered: questions.map(({ id }) => id) }), isError: true };
}

/** All questions on one form, where the interface has one. */
async function askAtOnce(
  fillIn: NonNullable<UserInterface['fillIn']>,
  questions: readonly Question[],
  dialog: DialogOptions,
): Promise<AskAnswer[] | undefined> {
  const answers = await fillIn(questions, dialog);
  return answers?.map(({ id, selected, custom, timedOut }, index) => {
    const { question, options, multi } = questions[index] ?? { question: '', options: [], multi: false };
    return {
      id,
      question,
      options: options.map(({ label }) => label),
      multi: multi === true,
      selectedOptions: selected,
      ...(custom !== undefined && { customInput: custom }),
      ...(timedOut === true && { timedOut }),
    };
  });
}

interface Dialog {
  readonly ui: UserInterface;
  readonly signal: AbortSignal;
  /** 0 waits for ever. */
  readonly timeoutMs: number;
}

async function askOne(question: Question, canGoBack: boolean, dialog: Dialog): Promise<Outcome> {
  const labels = question.options.map(({ label }) => label);
  const extra = [OTHER, ...(canGoBack ? [BACK] : [])];
  const answer = (selectedOptions: readonly string[], more: Partial<AskAnswer> = {}): AskAnswer => ({
    id: question.id,
    question: question.question,
    options: labels,
    multi: question.multi === true,
    selectedOptions,
    ...more,
  });
  const typed = async (selected: readonly string[]): Promise<Outcome> => {
    // Someone who has begun to type is not hurried.
    const text = await dialog.ui.editor(question.question, '', { signal: dialog.signal });
    return text === undefined ? 'cancelled' : answer(selected, { customInput: text });
  };
  const timedOut = (): AskAnswer => {
    const fallback = labels[question.recommended ?? 0] ?? labels[0];
    return answer(fallback === undefined ? [] : [fallback], { timedOut: true });
  };
  const chosen = new Set<string>();
  for (;;) {
    const shown = labels.map((label, index) => {
      if (question.multi) return `${chosen.has(label) ? '[x]' : '[ ]'} ${label}`;
      return index === question.recommended ? `${label}${RECOMMENDED}` : label;
    });
    const picked = await pick(question.question, [...shown, ...(question.multi ? [DONE] : []), ...extra], dialog);
    if (picked === 'timeout') return chosen.size > 0 ? answer([...chosen], { timedOut: true }) : timedOut();
    if (picked === undefined) return 'cancelled';
    if (picked === OTHER) return typed([...chosen]);
    if (picked === BACK) return 'back';
    if (picked === DONE) return answer([...chosen]);
    const label = labels[shown.indexOf(picked)];
    if (label === undefined) return 'cancelled';
    if (!question.multi) return answer([label]);
    if (!chosen.delete(label)) chosen.add(label);
  }
}

/** The option, `timeout` when time ran out, or nothing when the user closed the question. */
async function pick(
  title: string,
  options: readonly string[],
  { ui, signal, timeoutMs }: Dialog,
): Promise<string | undefined> {
  let isLate = false;
  // Begun before the dialog's own clock, so that it has run out when the dialog closes by itself.
  const clock = timeoutMs > 0 ? setTimeout(() => (isLate = true), timeoutMs) : undefined;
  try {
    const picked = await ui.select(title, options, { signal, ...(timeoutMs > 0 && { timeoutMs }) });
    return picked ?? (isLate ? 'timeout' : undefined);
  } finally {
    clearTimeout(clock);
  }
}

function report(answers: readonly AskAnswer[]): ToolResult {
  const [only, ...others] = answers;
  if (only && others.length === 0) {
    const { id: _id, ...details } = only;
    return textResult(answerLines(only).join('\n'), details);
  }
  const rows = answers.map((answer) => `${answer.id}: ${answerLines(answer).join('; ')}`);
  return textResult(['User answers:', ...rows].join('\n'), { results: answers });
}

function answerLines({ selectedOptions, customInput, timedOut, multi }: AskAnswer): string[] {
  if (timedOut) return [`No answer in time; the default was taken: ${selectedOptions.join(', ') || 'none'}`];
  const isEmpty = selectedOptions.length === 0 && customInput === undefined;
  return [
    ...(selectedOptions.length > 0 ? [`User selected: ${selectedOptions.join(', ')}`] : []),
    ...(customInput === undefined ? [] : [`User provided custom input: ${customInput}`]),
    ...(isEmpty ? [multi ? 'User selected none of the options' : 'User gave no answer'] : []),
  ];
}
