/** Lists that follow the server: sessions, runs, workflows, questions. */
import { computed, signal } from '@preact/signals';
import type { Run } from '@tenon/runs/api';
import type { WorkflowSummary } from '@tenon/workflows/api';
import type { StreamedEvent } from '../../client.ts';
import type { Approval, Overview, Question, SessionRow } from '../../shapes.ts';
import { client, fetched, follow, isConnected } from './connection.ts';

const HIDDEN_LOOK_MS = 20_000;

/** What the server is. */
export const overview = signal<Overview | undefined>(undefined);
/** Sessions, the newest first. */
export const sessions = signal<readonly SessionRow[] | undefined>(undefined);
/** Runs, the newest first. */
export const runs = signal<readonly Run[] | undefined>(undefined);
/** Workflows, the newest first. */
export const workflows = signal<readonly WorkflowSummary[] | undefined>(undefined);
/** Workflows whose journal cannot be read. */
export const damaged = signal<readonly { readonly id: string; readonly problem: string }[]>([]);
/** Questions that somebody waits with. */
export const questions = signal<readonly Question[]>([]);
/** Calls that wait for a yes or no, and that no open session asks about. */
export const approvals = signal<readonly Approval[]>([]);
/** What is searched for among the sessions. */
export const search = signal('');

/** Runs that wait for a person. */
export const waitingRuns = computed(() => (runs.value ?? []).filter(({ state }) => state === 'waiting'));
/** Workflows that wait for a person. */
export const waitingWorkflows = computed(() => (workflows.value ?? []).filter(({ questions: open }) => open > 0));
/** How many things wait for a person. */
export const waiting = computed(
  () => questions.value.length + approvals.value.length + waitingRuns.value.length + waitingWorkflows.value.length,
);

/** What the list calls a session that it knows. */
export function titleOf(id: string): string | undefined {
  const { title, firstPrompt, cwd } = sessions.value?.find((session) => session.id === id) ?? {};
  return title ?? firstPrompt ?? cwd;
}

/** Loads the sessions anew. */
export async function loadSessions(wanted?: AbortSignal): Promise<void> {
  const query = search.value === '' ? {} : { search: search.value };
  const found = await fetched(() => client.call('listSessions', { query }), wanted);
  if (found) sessions.value = found.sessions;
}

async function loadAll(wanted: AbortSignal): Promise<void> {
  await loadSessions(wanted);
  const [all, graphs, open, calls, about] = await Promise.all([
    fetched(() => client.call('listRuns', {}), wanted),
    fetched(() => client.call('listWorkflows', {}), wanted),
    fetched(() => client.call('listQuestions', {}), wanted),
    fetched(() => client.call('listApprovals', {}), wanted),
    fetched(() => client.call('overview', {}), wanted),
  ]);
  if (all) runs.value = all.runs;
  if (graphs) {
    workflows.value = graphs.workflows;
    damaged.value = graphs.damaged;
  }
  if (open) questions.value = open.questions;
  if (calls) approvals.value = calls.approvals;
  if (about) overview.value = about;
}

/** Loads the lists and keeps them as the server has them. */
export async function followLists(signal: AbortSignal): Promise<void> {
  let isLoaded = false;
  let isLoading = false;
  let isWanted = false;
  let meanwhile: StreamedEvent[] | undefined;
  // One at a time: of two, the one that ends last could bring what the other already knew better.
  const load = async () => {
    isWanted = true;
    if (isLoading) return;
    isLoading = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      const told: StreamedEvent[] = [];
      meanwhile = told;
      await loadAll(signal);
      meanwhile = undefined;
      // The answer may be older than what was told while it was on its way.
      told.forEach(take);
    }
    isLoading = false;
  };
  const onState = (state: boolean) => {
    // Only who follows already misses nothing of what happens while the lists come.
    if (state && (!isLoaded || !isConnected.value)) void load();
    isLoaded ||= state;
    isConnected.value = state;
  };
  // A tab in the background follows nothing, but its title still says how many wait.
  const looking = setInterval(() => document.hidden && void load(), HIDDEN_LOOK_MS);
  signal.addEventListener('abort', () => clearInterval(looking));
  await follow('lists', { signal, onState }, (event) => {
    if (event.type === 'reset' || event.type === 'looked') return void load();
    meanwhile?.push(event);
    take(event);
  });
}

function take({ type, data }: StreamedEvent): void {
  if (type === 'session') sessionChanged(data as Partial<SessionRow> & { id: string });
  if (type === 'question') questions.value = [...without(data), data as Question];
  if (type === 'question_settled') questions.value = without(data);
  if (type === 'approval') approvals.value = changed(approvals.value, data as Approval);
  if (type === 'approval_removed') approvals.value = gone(approvals.value, data as Approval);
  if (type === 'run') runs.value = changed(runs.value, data as Run);
  if (type === 'run_removed') runs.value = gone(runs.value, data as Run);
  if (type === 'workflow') workflows.value = changed(workflows.value, data as WorkflowSummary);
  if (type === 'workflow_removed') workflows.value = gone(workflows.value, data as WorkflowSummary);
}

function without(data: unknown): readonly Question[] {
  return questions.value.filter(({ id }) => id !== (data as { id: string }).id);
}

function sessionChanged(change: Partial<SessionRow> & { readonly id: string }): void {
  const known = sessions.value ?? [];
  const before = known.find(({ id }) => id === change.id);
  // One that is closed before anything was said is gone.
  if (!before || (change.isOpen === false && before.bytes === 0)) return void loadSessions();
  const closed = change.isOpen === false ? { isWorking: false, questions: 0 } : {};
  sessions.value = known.map((row) => (row.id === change.id ? { ...row, ...closed, ...change } : row));
}

function changed<T extends { readonly id: string }>(known: readonly T[] = [], entry: T): readonly T[] {
  const isKnown = known.some(({ id }) => id === entry.id);
  return isKnown ? known.map((old) => (old.id === entry.id ? entry : old)) : [entry, ...known];
}

function gone<T extends { readonly id: string }>(known: readonly T[] = [], { id }: { readonly id: string }) {
  return known.filter((old) => old.id !== id);
}
