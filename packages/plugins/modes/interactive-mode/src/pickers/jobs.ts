/** Background jobs: how they stand, their output, and a way to stop them. */
import { keyHints, type SelectItem } from '@tenon/components';
import { type JobSnapshot, type Jobs, jobs as jobsService } from '@tenon/jobs/api';
import { plainText } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { CHOOSE, ListPicker, refreshing } from './list-picker.ts';
import { showText } from './show-text.ts';
import { isConfirmed } from './small-dialogs.ts';
import { firstWords } from './wordings.ts';

const PREVIEW_ROWS = 8;

/** Shows the background jobs of the session. */
export async function openJobs(seat: Seat): Promise<void> {
  const jobs = await seat.ctx.findOptional(jobsService);
  const session = seat.agent.session.id;
  const list = () => [...(jobs?.list(session) ?? [])].reverse();
  if (!jobs || list().length === 0) {
    seat.notify('There is no background job in this session.');
    return;
  }
  const picker = new ListPicker<string>(seat, {
    title: 'Background jobs',
    items: list().map(asItem),
    keepsOrder: true,
    keys: { 'list.stop': 'stop' },
    preview: async (id) => outputOf(jobs.get(session, id)).split('\n').slice(-PREVIEW_ROWS),
    previewRows: PREVIEW_ROWS,
    footer: () =>
      keyHints(seat, [
        ['list.choose', 'read the output'],
        ['list.stop', 'stop'],
        ['list.close', 'close'],
      ]),
  });
  const refresh = () => picker.list.setItems(list().map(asItem));
  const isMoving = () => list().some(({ status }) => status === 'running');
  await refreshing(seat, { isMoving, refresh }, () => useJobs(seat, jobs, picker, refresh));
}

async function useJobs(seat: Seat, jobs: Jobs, picker: ListPicker<string>, refresh: () => void): Promise<void> {
  const session = seat.agent.session.id;
  for (;;) {
    const answer = await picker.next();
    const job = answer?.item && jobs.get(session, answer.item.value);
    if (!answer) return;
    if (answer.action === CHOOSE && job) await showText(seat, `${job.id}  ${job.label}`, outputOf(job));
    else if (job && (await isConfirmed(seat, `Stop ${job.id} (${firstWords(job.label)})?`, 'Yes, stop it')))
      tellOutcome(seat, job.id, jobs.cancel(session, job.id));
    refresh();
  }
}

function tellOutcome(seat: Seat, id: string, outcome: ReturnType<Jobs['cancel']>): void {
  if (outcome === 'already_completed') seat.notify(`${id} had ended already.`);
  else if (outcome === 'not_found') seat.notify(`${id} is no longer known.`, 'warning');
}

function asItem({ id, label, status, durationMs }: JobSnapshot): SelectItem<string> {
  return {
    value: id,
    label: id,
    detail: firstWords(label),
    hint: `${status}  ${Math.round(durationMs / 1000)} s`,
    isMuted: status !== 'running',
  };
}

function outputOf(job: JobSnapshot | undefined): string {
  const text = [job?.errorText, job?.resultText].filter((part) => part !== undefined && part !== '').join('\n');
  return text === '' ? '(no output yet)' : plainText(text).trimEnd();
}
