/** Steps of workflows that wait for a person. */
import { TenonError } from '@tenon/kernel';
import type { Workflows } from '@tenon/workflows/api';
import type { AnswerOutcome, OpenQuestion, QuestionSource } from '../question.ts';

/** Journals are files: they are not read anew at every look. */
const FRESH_MS = 3_000;
/** What a workflow says when it no longer waits for this answer. */
const TOO_LATE: ReadonlySet<string> = new Set(['WORKFLOWS_NO_QUESTION', 'WORKFLOWS_UNKNOWN', 'WORKFLOWS_OVER']);

/** The steps that ask. */
export function workflowsSource(workflows: () => Promise<Workflows | undefined>, freshMs = FRESH_MS): QuestionSource {
  let known: readonly OpenQuestion[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async open() {
      if (performance.now() - readAt < freshMs) return known;
      const service = await workflows();
      known = service ? await asking(service) : [];
      readAt = performance.now();
      return known;
    },
    async answer(id, answer): Promise<AnswerOutcome> {
      const service = await workflows();
      const [workflow = '', , ...step] = id.split('/');
      if (!service || !(await asking(service)).some((question) => question.id === id)) return 'gone';
      try {
        await service.answer(workflow, step.join('/'), answer);
        known = known.filter((question) => question.id !== id);
        return 'taken';
      } catch (fault) {
        if (fault instanceof TenonError && TOO_LATE.has(fault.code)) return 'gone';
        throw fault;
      }
    },
  };
}

async function asking(service: Workflows): Promise<readonly OpenQuestion[]> {
  const waiting = (await service.list()).workflows.filter(({ questions }) => questions > 0);
  const all = await Promise.all(waiting.map(({ id }) => service.details(id)));
  return all.flatMap(({ id, name, graph }) =>
    graph
      .flatMap(({ steps }) => steps)
      .filter(({ state }) => state === 'asking')
      .map(({ step, attempt, question = '' }) => ({
        id: `${id}/${attempt}/${step}`,
        title: `The workflow ${name} asks (${step})`,
        text: question,
        options: ['yes', 'no'],
        takesText: true,
        blindOptions: ['no'],
      })),
  );
}
