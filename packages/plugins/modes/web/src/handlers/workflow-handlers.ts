/** Routes of workflows. */
import type { Workflows } from '@tenon/workflows/api';
import { errors } from '../errors.ts';
import type { Handlers } from '../server/app.ts';

/** Where workflows come from; undefined where the plugin is switched off. */
export interface WorkflowParts {
  workflows(): Promise<Workflows | undefined>;
}

type Names =
  | 'listWorkflows'
  | 'viewWorkflow'
  | 'answerWorkflow'
  | 'continueWorkflow'
  | 'retryWorkflow'
  | 'cancelWorkflow';

const DONE = { done: true } as const;
/** What the page shows and the server watches. */
const LIMIT = 200;

/** The newest workflows. */
export async function newestWorkflows(parts: WorkflowParts) {
  const { workflows, damaged } = (await (await parts.workflows())?.list()) ?? { workflows: [], damaged: [] };
  return { workflows: workflows.slice(0, LIMIT), damaged: [...damaged] };
}

/** The routes over the workflows. */
export function workflowHandlers(parts: WorkflowParts): Pick<Handlers, Names> {
  const act = async (id: string, work: (workflows: Workflows, id: string) => Promise<void>) => {
    await work(await service(id), id);
    return DONE;
  };
  const service = async (id: string): Promise<Workflows> => {
    // A whole id: a beginning of one could mean another workflow tomorrow, and a path none at all.
    const found = /^[\w-]{1,64}$/.test(id) ? await parts.workflows() : undefined;
    const isKnown = (await found?.list())?.workflows.some((workflow) => workflow.id === id) === true;
    if (!found || !isKnown) throw errors.create('WEB_WORKFLOW_UNKNOWN', { id });
    return found;
  };
  return {
    async listWorkflows() {
      const { workflows, damaged } = await newestWorkflows(parts);
      return { workflows: [...workflows], damaged };
    },
    viewWorkflow: async ({ params }) => (await service(params.id)).details(params.id),
    answerWorkflow: ({ params, body }) =>
      act(params.id, (workflows, id) => workflows.answer(id, body.step, body.answer)),
    continueWorkflow: ({ params }) => act(params.id, (workflows, id) => workflows.continue(id)),
    retryWorkflow: ({ params }) => act(params.id, (workflows, id) => workflows.retry(id)),
    cancelWorkflow: ({ params }) => act(params.id, (workflows, id) => workflows.cancel(id)),
  };
}
