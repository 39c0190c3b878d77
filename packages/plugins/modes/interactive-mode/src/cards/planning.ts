/** Cards of what is about the conversation: the plan, questions, checkpoints. */
import { counted } from '@tenon/wording';
import type { CardStyle, ToolView } from '@tenon/screen-slots/api';
import { detailsOf, fieldsOf, type Fields, isFailure, listOf, resultText, textOf, textsOf } from './fields.ts';
import { type FoldingRenderer, oneLine, textBody, textRows, titleOf } from './rows.ts';
import { planRows } from '../panels/plan-rows.ts';

const OPERATIONS: Readonly<Record<string, string>> = {
  init: 'a new plan',
  append: 'more tasks',
  start: 'begins',
  done: 'done',
  drop: 'dropped',
  rm: 'removed',
  note: 'a note on',
};

function operationText(operation: Fields): string {
  const verb = OPERATIONS[textOf(operation['op'])] ?? textOf(operation['op']);
  const about = textOf(operation['task']) || textOf(operation['phase']);
  const items = textsOf(operation['items']).length;
  return [verb, about, items > 0 ? `(${items})` : ''].filter((part) => part !== '').join(' ');
}

function phasesOf(view: ToolView): Parameters<typeof planRows>[0] {
  return listOf(detailsOf(view)['phases'])
    .map(fieldsOf)
    .map((phase) => ({
      name: textOf(phase['name']),
      tasks: listOf(phase['tasks'])
        .map(fieldsOf)
        .map((task) => ({ content: textOf(task['content']), status: textOf(task['status']) })),
    }));
}

/** The plan. */
export const todoWrite: FoldingRenderer = {
  foldedRows: 12,
  title(view, style) {
    const phases = phasesOf(view);
    const tasks = phases.flatMap((phase) => phase.tasks);
    const done = tasks.filter(({ status }) => status === 'completed').length;
    const operations = listOf(fieldsOf(view.input)['ops']).map(fieldsOf).map(operationText).join(', ');
    return titleOf(style, 'plan', oneLine(operations), tasks.length === 0 ? undefined : `${done}/${tasks.length}`);
  },
  body(view, style) {
    if (isFailure(view)) return textRows(resultText(view), style, 'error');
    return planRows(phasesOf(view), style.theme).flatMap((row) => style.wrap(row, style.width));
  },
};

/** Questions to the user, with their answers. */
export const ask: FoldingRenderer = {
  foldedRows: 12,
  title(view, style) {
    const questions = listOf(fieldsOf(view.input)['questions']).map(fieldsOf);
    const [only] = questions;
    const about = questions.length === 1 ? textOf(only?.['question']) : counted(questions.length, 'question');
    return titleOf(style, 'ask', oneLine(about));
  },
  body(view, style) {
    if (isFailure(view)) return textRows(resultText(view), style, 'error');
    const details = detailsOf(view);
    const results = listOf(details['results']).map(fieldsOf);
    const answers = results.length > 0 ? results : details['selectedOptions'] === undefined ? [] : [details];
    return answers.flatMap((answer) => answerRows(answer, answers.length > 1, style));
  },
};

function answerRows(answer: Fields, isOneOfMany: boolean, style: CardStyle): string[] {
  const chosen = [...textsOf(answer['selectedOptions']), textOf(answer['customInput'])].filter(Boolean).join(', ');
  const late = answer['timedOut'] === true ? ' (nobody answered in time)' : '';
  return [
    ...(isOneOfMany ? textRows(textOf(answer['question']), style, 'muted') : []),
    ...textRows(`→ ${chosen || 'nothing'}${late}`, style, 'accent'),
  ];
}

const said = textBody({ text: resultText, color: (view) => (isFailure(view) ? 'error' : 'toolOutput'), foldedRows: 4 });

/** A point to go back to. */
export const checkpoint: FoldingRenderer = {
  ...said,
  title: (view, style) => titleOf(style, 'checkpoint', oneLine(textOf(fieldsOf(view.input)['goal']))),
};

/** Going back to it. */
export const rewind: FoldingRenderer = {
  ...textBody({
    text: (view) => (isFailure(view) ? resultText(view) : textOf(fieldsOf(view.input)['report'])),
    color: (view) => (isFailure(view) ? 'error' : 'toolOutput'),
  }),
  title: (view, style) => titleOf(style, 'rewind', '', 'keeps this report'),
};
