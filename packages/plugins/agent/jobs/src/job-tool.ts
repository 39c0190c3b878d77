import type { Folders } from '@tenon/host';
import {
  explainFailures,
  MAX_OUTPUT_BYTES,
  scopeOf,
  textResult,
  type Tool,
  type ToolCall,
  type ToolResult,
} from '@tenon/tools/api';
import { byteText, cutText } from '@tenon/wording';
import { type Logger, messageOf, Type } from '@tenon/kernel';
import type { CancelOutcome, Jobs, JobSnapshot } from './api.ts';
import { cutStart } from './cut-start.ts';
import { errors } from './errors.ts';
import { prompts } from './prompts/index.ts';

const PROGRESS_EVERY_MS = 500;
/** What several jobs of one answer share. */
const MAX_CHARS = MAX_OUTPUT_BYTES;
/** What is shown of a job that still runs. */
const RUNNING_CHARS = 2_000;
const MAX_LABEL = 80;

/** What the tool needs. */
export interface JobToolHost {
  readonly folders: Pick<Folders, 'cwd'>;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly pollSeconds: number;
}

interface Asked {
  readonly poll?: readonly string[];
  readonly cancel?: readonly string[];
  readonly output?: string;
  readonly list?: boolean;
}

interface Cancelled {
  readonly id: string;
  readonly status: CancelOutcome;
}

/** The tool that watches and stops background jobs. */
export function createJobTool(host: JobToolHost): Tool {
  const ids = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
  return explainFailures({
    description: prompts.job({ seconds: host.pollSeconds }),
    parameters: Type.Object(
      {
        poll: ids('Ids to wait for'),
        cancel: ids('Ids to stop'),
        output: Type.Optional(Type.String({ description: 'Id to show whole' })),
        list: Type.Optional(Type.Boolean({ description: 'Show all jobs' })),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, call) {
      const asked = input as Asked;
      const { session } = scopeOf(call, host.folders);
      if (asked.list) {
        if (asked.poll ?? asked.cancel ?? asked.output) throw errors.create('JOBS_LIST_ALONE');
        return list(host.jobs, session);
      }
      if (asked.output !== undefined) return showOutput(host.jobs, session, asked.output);
      const cancelled = (asked.cancel ?? []).map((id): Cancelled => ({ id, status: host.jobs.cancel(session, id) }));
      if (asked.cancel && !asked.poll) return present(host.jobs, pick(host.jobs, session, asked.cancel), cancelled);
      return watch(host, session, asked, cancelled, call);
    },
  });
}

function list(jobs: Jobs, session: string): ToolResult {
  const all = jobs.list(session);
  if (all.length === 0) return textResult('There are no background jobs.', { jobs: [] });
  const rows = all.map((job) => `- ${line(job)}: ${job.status}`);
  return textResult([`## Jobs (${all.length})`, ...rows].join('\n'), { jobs: all.map(detailsOf) });
}

function showOutput(jobs: Jobs, session: string, id: string): ToolResult {
  const job = jobs.get(session, id);
  if (!job) throw errors.create('JOBS_UNKNOWN', { id, known: known(jobs, session) });
  jobs.acknowledge(session, [id]);
  return textResult([`${line(job)}: ${job.status}`, '', textOf(job, MAX_CHARS)].join('\n'), { jobs: [detailsOf(job)] });
}

async function watch(
  { jobs, log, pollSeconds }: JobToolHost,
  session: string,
  asked: Asked,
  cancelled: readonly Cancelled[],
  call: ToolCall,
): Promise<ToolResult> {
  const open = jobs.list(session).filter(({ status, isTold }) => status === 'running' || !isTold);
  const ids = asked.poll ?? open.map(({ id }) => id);
  if (pick(jobs, session, ids).length === 0 && cancelled.length === 0) {
    const text = asked.poll
      ? `No matching jobs found for IDs: ${asked.poll.join(', ')}. Known jobs: ${known(jobs, session)}.`
      : 'No running background jobs to wait for.';
    return textResult(text, { jobs: [] });
  }
  const show = () => call.update({ ...textResult(''), details: { jobs: pick(jobs, session, ids).map(detailsOf) } });
  const failed = (fault: unknown) => log.warn(`the state of jobs could not be shown: ${messageOf(fault)}`);
  let showing = show().catch(failed);
  const timer = setInterval(() => (showing = showing.then(show).catch(failed)), PROGRESS_EVERY_MS);
  try {
    const seen = await jobs.wait(session, ids, { timeoutMs: pollSeconds * 1000, signal: call.signal });
    return present(jobs, [...pick(jobs, session, asked.cancel ?? []), ...seen], cancelled);
  } finally {
    clearInterval(timer);
    await showing;
  }
}

function present(jobs: Jobs, given: readonly JobSnapshot[], cancelled: readonly Cancelled[]): ToolResult {
  const seen = [...new Map(given.map((job) => [job.id, job])).values()];
  const ended = seen.filter(({ status }) => status !== 'running');
  const running = seen.filter(({ status }) => status === 'running');
  for (const { session, id } of ended) jobs.acknowledge(session, [id]);
  const share = Math.floor(MAX_CHARS / Math.max(1, ended.length));
  const sections = [
    ...(cancelled.length === 0 ? [] : [section('Cancelled', cancelled, ({ id, status }) => `- ${id}: ${status}`)]),
    ...(ended.length === 0
      ? []
      : [section('Completed', ended, (job) => `### ${line(job)}: ${job.status}\n${textOf(job, share)}`)]),
    ...(running.length === 0
      ? []
      : [section('Still Running', running, (job) => `### ${line(job)}\n${textOf(job, RUNNING_CHARS)}`)]),
  ];
  return textResult(sections.join('\n\n'), {
    jobs: seen.map(detailsOf),
    ...(cancelled.length > 0 && { cancelled }),
  });
}

function section<T>(title: string, items: readonly T[], write: (item: T) => string): string {
  return [`## ${title} (${items.length})`, ...items.map(write)].join('\n');
}

function pick(jobs: Jobs, session: string, ids: readonly string[]): JobSnapshot[] {
  return [...new Set(ids)].flatMap((id) => jobs.get(session, id) ?? []);
}

function known(jobs: Jobs, session: string): string {
  const ids = jobs.list(session).map(({ id }) => id);
  return ids.length === 0 ? 'none' : ids.join(', ');
}

function line({ id, label, durationMs }: JobSnapshot): string {
  return `${id} (${cutText(label, MAX_LABEL)}), ${Math.round(durationMs / 1000)}s`;
}

function textOf({ resultText, errorText }: JobSnapshot, maxChars: number): string {
  const text = errorText ?? resultText ?? '';
  if (text.trim() === '') return '(no output)';
  const end = cutStart(text, maxChars);
  return end === text ? text : `[The last ${byteText(end.length)}:]\n${end}`;
}

/** The texts are in the answer already; programs that want them whole ask for one job. */
function detailsOf({ session: _session, isTold: _isTold, ...job }: JobSnapshot) {
  return {
    ...job,
    ...(job.resultText !== undefined && { resultText: cutStart(job.resultText, RUNNING_CHARS) }),
    ...(job.errorText !== undefined && { errorText: cutStart(job.errorText, RUNNING_CHARS) }),
  };
}
