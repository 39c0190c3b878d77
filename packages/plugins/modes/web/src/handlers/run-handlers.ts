/** Routes of runs and accounts. */
import type { Accounts } from '@tenon/accounts/api';
import type { HijackTarget, Run, RunNews, Runs } from '@tenon/runs/api';
import { shellWord } from '@tenon/wording';
import { folderOf } from '../folder.ts';
import type { Handlers } from '../server/app.ts';
import type { LoggedEvent } from '../server/event-log.ts';

/** What these routes work with. */
export interface RunParts {
  readonly cwd: string;
  runs(): Promise<Runs>;
  accounts(): Promise<Accounts | undefined>;
}

type Names =
  | 'listRuns'
  | 'startRun'
  | 'viewRun'
  | 'answerRun'
  | 'sendToRun'
  | 'retryRun'
  | 'cancelRun'
  | 'applyRun'
  | 'removeRun'
  | 'runDiff'
  | 'listAccounts';

/** How many runs the page shows and the server watches. */
export const RUN_LIMIT = 200;

/** The routes over the runs. */
export function runHandlers(parts: RunParts): Pick<Handlers, Names> {
  const withRun = async <T>(id: string, work: (runs: Runs, run: Run) => Promise<T>) => {
    const runs = await parts.runs();
    return work(runs, await runs.find(id));
  };
  return {
    listRuns: async () => ({ runs: [...(await (await parts.runs()).list({ limit: RUN_LIMIT }))] }),
    startRun: async ({ body }) => (await parts.runs()).start({ ...body, cwd: await folderOf(body.cwd ?? parts.cwd) }),
    viewRun: ({ params }) =>
      withRun(params.id, async (runs, run) => {
        const { sessions, questions } = await runs.details(run);
        const command = await runs.candidate(run).then(commandOf, () => undefined); // Not every worker can be taken over.
        return {
          run,
          sessions: [...sessions],
          questions: [...questions],
          ...(command !== undefined && { hijack: command }),
        };
      }),
    answerRun: ({ params, body }) => withRun(params.id, (runs, run) => runs.answer(run, body.answers)),
    sendToRun: ({ params, body }) => withRun(params.id, (runs, run) => runs.send(run, body.text)),
    retryRun: ({ params }) => withRun(params.id, (runs, run) => runs.retry(run)),
    cancelRun: ({ params }) => withRun(params.id, (runs, run) => runs.cancel(run)),
    applyRun: ({ params }) =>
      withRun(params.id, async (runs, run) => {
        const { files, text } = await runs.apply(run);
        return { files: [...files], text };
      }),
    removeRun: ({ params }) => withRun(params.id, async (runs, run) => ({ kept: [...(await runs.remove(run)).kept] })),
    runDiff: ({ params }) =>
      withRun(params.id, async (runs, run) => {
        const { text, files = [], isCut = false } = (await runs.diff(run)) ?? {};
        return { ...(text !== undefined && { text }), files: [...files], isCut };
      }),
    listAccounts: async () => ({ accounts: [...((await (await parts.accounts())?.list()) ?? [])] }),
  };
}

function commandOf({ run }: HijackTarget): string {
  return `tenon hijack ${shellWord(run.alias)}`;
}

/** The news of a run as events; the id of each is its place in the log of all runs. */
export async function* runNews(news: AsyncIterable<RunNews>): AsyncGenerator<LoggedEvent> {
  for await (const entry of news) {
    const { place } = entry.type === 'output' ? entry.output : entry.event;
    const data = entry.type === 'output' ? entry.output : entry.event;
    yield { id: String(place), type: entry.type, json: JSON.stringify(data) };
  }
}
