/** Waits for workflow runs and says how they ended. */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runGit } from '@tenon/host';
import { fitLines, textResult, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { plainLine, plainText } from '@tenon/wording';
import { boundedResult } from '../bounded.ts';
import { errors } from '../errors.ts';
import type { Order } from '../order.ts';
import { currentBranch } from '../remotes.ts';
import type { Place } from '../servers.ts';
import { isFailed } from '../text.ts';
import type { Job, Run } from '../things.ts';
import { has } from './reading.ts';

/** After the first failure others may come within moments. */
const GRACE_MS = 5_000;
const MAX_LOGS = 20;
const MAX_RUNS = 30;

interface Seen {
  readonly run: Run;
  readonly jobs: readonly Job[];
}

interface JobLog {
  readonly run: Run;
  readonly job: Job;
  /** Undefined when the server does not give it. */
  readonly text: string | undefined;
}

/** Asks until everything has ended, or something has failed. */
export async function watchRuns(
  order: Order,
  place: Place,
  cwd: string,
  { pollMs, watchMs }: { readonly pollMs: number; readonly watchMs: number },
  call: ToolCall,
): Promise<ToolResult> {
  const { signal } = call;
  const end = Date.now() + watchMs;
  const look = await lookerFor(order, place, cwd, signal);
  let calm: string | undefined;
  for (;;) {
    let seen = await look();
    await call.update(textResult(plainText(stateText(place, seen)), detailsOf(order, place, seen)));
    if (failedJobs(seen).length > 0 || seen.some(({ run }) => isFailed(run))) {
      if (seen.some(({ run }) => run.status !== 'completed')) {
        await sleep(Math.min(GRACE_MS, pollMs * 2), undefined, { signal });
        seen = await look();
      }
      return report(order, place, seen, call);
    }
    const ids = seen.map(({ run }) => run.id).join(' ');
    if (seen.length > 0 && seen.every(({ run }) => run.status === 'completed')) {
      // Of a commit, further runs may begin a moment later; only a second look without new ones counts.
      if (order.run !== undefined || calm === ids) return report(order, place, seen, call);
      calm = ids;
    } else calm = undefined;
    if (Date.now() + pollMs > end) {
      const text = `${stateText(place, seen)}\n\n[Still running after ${Math.round(watchMs / 60_000)} minutes. Watch again to go on.]`;
      return boundedResult(text, detailsOf(order, place, seen), call);
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** Looks at one run, or at all runs of the newest commit of a branch. */
async function lookerFor(
  order: Order,
  place: Place,
  cwd: string,
  signal: AbortSignal,
): Promise<() => Promise<readonly Seen[]>> {
  const { api, repo } = place;
  const run = has(place, order.op, api.run?.bind(api));
  const runs = has(place, order.op, api.runs?.bind(api));
  const jobs = has(place, order.op, api.jobs?.bind(api));
  const withJobs = async (one: Run): Promise<Seen> => ({ run: one, jobs: (await jobs(repo, one.id)).items });
  const { run: id } = order;
  if (id !== undefined) return async () => [await withJobs(await run(repo, id))];
  const sha = await commitOf(order, place, cwd, signal);
  let polls = 0;
  return async () => {
    const { items } = await runs(repo, { sha });
    if (items.length === 0 && ++polls > 20) {
      const reason = `No workflow has started for the commit ${sha.slice(0, 12)}`;
      throw errors.create('GITHUB_INPUT', {
        reason,
        todo: 'Check that it is pushed and that a workflow is meant to run for it.',
      });
    }
    return Promise.all(items.slice(0, MAX_RUNS).map(withJobs));
  };
}

async function commitOf({ branch, op }: Order, place: Place, cwd: string, signal: AbortSignal): Promise<string> {
  const name = branch ?? (await currentBranch(cwd, signal));
  if (name !== undefined) return has(place, op, place.api.headOf?.bind(place.api))(place.repo, name);
  const head = await runGit(cwd, ['rev-parse', 'HEAD'], { signal });
  if (head.code === 0) return head.out.trim();
  throw errors.create('GITHUB_INPUT', {
    reason: 'It is not known which commit is meant',
    todo: 'Give `run` or `branch`.',
  });
}

function failedJobs(seen: readonly Seen[]): readonly { readonly run: Run; readonly job: Job }[] {
  return seen.flatMap(({ run, jobs }) => jobs.filter(isFailed).map((job) => ({ run, job })));
}

async function report(order: Order, place: Place, seen: readonly Seen[], call: ToolCall): Promise<ToolResult> {
  const failed = failedJobs(seen);
  const details = detailsOf(order, place, seen);
  if (failed.length === 0) return boundedResult(stateText(place, seen), details, call);
  const logs = await Promise.all(failed.slice(0, MAX_LOGS).map(({ run, job }) => logOf(place, run, job)));
  const artifact = await keepLogs(logs, call);
  const tails = logs.flatMap(({ run, job, text }) => [
    '',
    `## ${plainLine(run.name)} / ${plainLine(job.name)}${job.step === '' ? '' : `, step "${plainLine(job.step)}"`}`,
    ...(text === undefined ? ['Log tail unavailable.'] : ['```', ...lastLines(text, order.tail), '```']),
  ]);
  const where = artifact === undefined ? [] : ['', `Full failed-job logs: artifact://${artifact}`];
  return boundedResult(
    [stateText(place, seen), ...tails, ...where].join('\n'),
    { ...details, ...(artifact !== undefined && { artifactId: artifact }) },
    call,
  );
}

/** A log that cannot be had does not hide how the run ended. */
async function logOf({ api, repo }: Place, run: Run, job: Job): Promise<JobLog> {
  const text = await api.jobLog?.(repo, job.id).catch((fault: unknown) => {
    if ((fault as Error).name === 'AbortError') throw fault;
    return undefined;
  });
  return { run, job, text: text === undefined ? undefined : withoutTimes(plainText(text)) };
}

/** Every line of a log begins with the moment it was written. */
function withoutTimes(text: string): string {
  return text.replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '');
}

function lastLines(text: string, count: number): readonly string[] {
  const lines = text.trimEnd().split('\n').slice(-count);
  return fitLines(lines.toReversed(), 8 * 1024).lines.toReversed();
}

async function keepLogs(logs: readonly JobLog[], { scope }: ToolCall): Promise<string | undefined> {
  const whole = logs.filter(({ text }) => text !== undefined);
  const artifact = whole.length === 0 ? undefined : await scope?.artifact?.('github');
  if (!artifact) return undefined;
  const text = whole
    .map((log) => `===== ${log.run.name} / ${log.job.name} (job ${log.job.id})\n${log.text ?? ''}\n`)
    .join('\n');
  await writeFile(artifact.path, text, { mode: 0o600 });
  return artifact.id;
}

function stateText({ repo }: Place, seen: readonly Seen[]): string {
  if (seen.length === 0) return `# Runs of ${repo.owner}/${repo.name}\nNone has started yet.`;
  const rows = seen.flatMap(({ run, jobs }) => [
    `- ${run.conclusion || run.status}: ${plainLine(run.name)} (run ${run.id})`,
    ...jobs.map(
      (job) =>
        `  - ${job.conclusion || job.status}: ${plainLine(job.name)}${job.step === '' ? '' : ` (${plainLine(job.step)})`}`,
    ),
  ]);
  const sha = seen[0]?.run.sha.slice(0, 12) ?? '';
  return [`# Runs of ${repo.owner}/${repo.name} at ${sha}: ${summaryOf(seen)}`, ...rows].join('\n');
}

function summaryOf(seen: readonly Seen[]): string {
  if (failedJobs(seen).length > 0 || seen.some(({ run }) => isFailed(run))) return 'failed';
  return seen.every(({ run }) => run.status === 'completed') ? 'succeeded' : 'running';
}

function detailsOf({ op }: Order, { repo, host }: Place, seen: readonly Seen[]): Readonly<Record<string, unknown>> {
  return {
    op,
    host,
    repo: `${repo.owner}/${repo.name}`,
    status: summaryOf(seen),
    runIds: seen.map(({ run }) => run.id),
    failedJobs: failedJobs(seen).map(({ job }) => ({ id: job.id, name: job.name })),
    watch: seen.map(({ run, jobs }) => ({ ...run, jobs })),
  };
}
