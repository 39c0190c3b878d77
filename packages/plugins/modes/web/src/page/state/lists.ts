/** Lists that follow the server: sessions, runs, questions. */
import { computed, signal } from '@preact/signals';
import type { Run } from '@tenon/runs/api';
import type { Overview, Question, SessionRow } from '../../shapes.ts';
import { attempt, client, follow, isConnected } from './connection.ts';

/** What the server is. */
export const overview = signal<Overview | undefined>(undefined);
/** Sessions, the newest first. */
export const sessions = signal<readonly SessionRow[] | undefined>(undefined);
/** Runs, the newest first. */
export const runs = signal<readonly Run[] | undefined>(undefined);
/** Questions that somebody waits with. */
export const questions = signal<readonly Question[]>([]);
/** What is searched for among the sessions. */
export const search = signal('');

/** How many things wait for a person. */
export const waiting = computed(
  () => questions.value.length + (runs.value ?? []).filter(({ state }) => state === 'waiting').length,
);

/** Loads the sessions anew. */
export async function loadSessions(): Promise<void> {
  const query = search.value === '' ? {} : { search: search.value };
  const found = await attempt(() => client.call('listSessions', { query }));
  if (found) sessions.value = found.sessions;
}

async function loadAll(): Promise<void> {
  await loadSessions();
  const [all, open, about] = await Promise.all([
    attempt(() => client.call('listRuns', {})),
    attempt(() => client.call('listQuestions', {})),
    attempt(() => client.call('overview', {})),
  ]);
  if (all) runs.value = all.runs;
  if (open) questions.value = open.questions;
  if (about) overview.value = about;
}

/** Loads the lists and keeps them as the server has them. */
export async function followLists(signal: AbortSignal): Promise<void> {
  const onState = (state: boolean) => {
    // What happened meanwhile is told; what the server forgot when it was started anew is loaded.
    if (state && !isConnected.value) void loadAll();
    isConnected.value = state;
  };
  await follow('/api/events', { signal, onState }, ({ type, data }) => {
    if (type === 'reset') void loadAll();
    if (type === 'session') sessionChanged(data as Partial<SessionRow> & { id: string });
    if (type === 'question') questions.value = [...without(data), data as Question];
    if (type === 'question_settled') questions.value = without(data);
    if (type === 'run') runChanged(data as Run);
    if (type === 'run_removed') runs.value = (runs.value ?? []).filter(({ id }) => id !== (data as Run).id);
  });
}

/** The first load, beside the events. */
export const begin = loadAll;

function without(data: unknown): readonly Question[] {
  return questions.value.filter(({ id }) => id !== (data as { id: string }).id);
}

function sessionChanged(change: Partial<SessionRow> & { readonly id: string }): void {
  const known = sessions.value ?? [];
  if (!known.some(({ id }) => id === change.id)) return void loadSessions();
  const closed = change.isOpen === false ? { isWorking: false, questions: 0 } : {};
  sessions.value = known.map((row) => (row.id === change.id ? { ...row, ...closed, ...change } : row));
}

function runChanged(run: Run): void {
  const known = runs.value ?? [];
  const isKnown = known.some(({ id }) => id === run.id);
  runs.value = isKnown ? known.map((old) => (old.id === run.id ? run : old)) : [run, ...known];
}
