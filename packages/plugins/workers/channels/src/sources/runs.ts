/** Questions of workers. */
import { TenonError } from '@tenon/kernel';
import type { Run, RunQuestion, Runs } from '@tenon/runs/api';
import { plainLine } from '@tenon/wording';
import type { AnswerOutcome, OpenQuestion, QuestionSource } from '../question.ts';

/** What a run says when it no longer waits for this answer. */
const TOO_LATE: ReadonlySet<string> = new Set(['RUNS_STATE', 'RUNS_NO_QUESTION', 'RUNS_UNKNOWN']);
const MAX_TASK = 80;

/** The runs that wait, and their questions. */
export function runsSource(runs: () => Promise<Runs>): QuestionSource {
  return {
    async open() {
      const service = await runs();
      const waiting = await service.list({ states: ['waiting'] });
      const all = await Promise.all(waiting.map((run) => service.details(run)));
      return all.flatMap(({ run, questions }) =>
        questions.filter(({ answer }) => answer === undefined).map((question) => openQuestion(run, question)),
      );
    },
    async answer(id, answer): Promise<AnswerOutcome> {
      const service = await runs();
      const [run = '', session = '', ...question] = id.split('/');
      try {
        const { run: now, questions } = await service.details(await service.find(run));
        const name = question.join('/');
        const isOpen = questions.some(
          (one) => one.id === name && String(one.session) === session && one.answer === undefined,
        );
        if (now.id !== run || !isOpen) return 'gone';
        await service.answer(now, { [name]: answer });
        return 'taken';
      } catch (fault) {
        if (fault instanceof TenonError && TOO_LATE.has(fault.code)) return 'gone';
        throw fault;
      }
    },
  };
}

function openQuestion(run: Run, { id, session, text, options }: RunQuestion): OpenQuestion {
  const task = plainLine(run.request.task);
  const about = task.length > MAX_TASK ? `${task.slice(0, MAX_TASK)}…` : task;
  return {
    id: `${run.id}/${session}/${id}`,
    title: `${run.alias} asks (${about})`,
    text,
    ...(options && options.length > 0 && { options }),
    takesText: true,
    run: run.id,
  };
}
