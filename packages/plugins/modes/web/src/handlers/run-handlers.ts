/** Routes of runs, worktrees and accounts. */
import type { Accounts } from '@tenon/accounts/api';
import type { HijackTarget, Run, RunNews, Runs } from '@tenon/runs/api';
import { shellWord } from '@tenon/wording';
import type { Worktrees } from '@tenon/worktrees/api';
import { folderOf } from '../folder.ts';
import type { Handlers } from '../server/app.ts';
import type { LoggedEvent } from '../server/event-log.ts';
import { folderBytes } from './folder-bytes.ts';

/** What these routes work with. */
export interface RunParts {
  readonly cwd: string;
  runs(): Promise<Runs>;
  worktrees(): Promise<Worktrees | undefined>;
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
  | 'listWorktrees'
  | 'listAccounts';

const LIMIT = 200;

/** The routes over the runs. */
export function runHandlers(parts: RunParts): Pick<Handlers, Names> {
  const withRun = async <T>(id: string, work: (runs: Runs, run: Run) => Promise<T>) => {
    const runs = await parts.runs();
    return work(runs, await runs.find(id));
  };
  return {
    listRuns: async () => ({ runs: [...(await (await parts.runs()).list({ limit: LIMIT }))] }),
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
    async listWorktrees() {
      const service = await parts.worktrees();
      const all = (await service?.list(parts.cwd)) ?? [];
      const rows = all.map(async (worktree) => {
        const status = await service?.status(worktree);
        const bytes = await folderBytes(worktree.folder);
        return {
          name: worktree.name,
          folder: worktree.folder,
          ...(worktree.branch !== undefined && { branch: worktree.branch }),
          ...(bytes !== undefined && { bytes }),
          state: status === undefined ? 'unknown' : stateText(status),
        };
      });
      return { worktrees: await Promise.all(rows) };
    },
    listAccounts: async () => ({ accounts: [...((await (await parts.accounts())?.list()) ?? [])] }),
  };
}

function stateText({ state, changes, onlyHere, isUntouched }: Awaited<ReturnType<Worktrees['status']>>): string {
  if (state === 'gone') return 'gone';
  if (isUntouched) return 'untouched';
  return `${changes} changed, ${onlyHere} commits only here`;
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
