/** Which session or run an id means. */
import type { Run } from '@tenon/runs/api';
import { type ApiClient, ApiFault, type SessionRow } from '@tenon/web/api';
import { countText, didYouMean, plainLine } from '@tenon/wording';
import { errors } from './errors.ts';

/** What is shown. */
export type Target =
  | { readonly kind: 'session'; readonly id: string; readonly label: string }
  | { readonly kind: 'run'; readonly id: string; readonly label: string };

/** Less of an id would soon mean several. */
const LEAST_CHARS = 4;
const MOST_NAMED = 5;
const ENDED: ReadonlySet<Run['state']> = new Set(['done', 'failed', 'cancelled']);

/** The session or run with this id, name or beginning of one. */
export async function findTarget(client: ApiClient, id: string): Promise<Target> {
  const [{ sessions }, { runs }] = await Promise.all([
    client.call('listSessions', { query: { limit: '500' } }),
    client.call('listRuns', {}),
  ]);
  const all = [...sessions.map(ofSession), ...runs.map(ofRun)];
  const names = new Map(runs.map((run) => [run.alias, ofRun(run)]));
  const exact = all.find((target) => target.id === id) ?? names.get(id);
  if (exact) return exact;
  const begins = (text: string) => id.length >= LEAST_CHARS && text.startsWith(id);
  const fitting = [
    ...all.filter((target) => begins(target.id)),
    ...[...names].filter(([name]) => begins(name)).map(([, target]) => target),
  ];
  const [only, ...more] = fitting.filter(
    (target, index) => fitting.findIndex((other) => other.id === target.id) === index,
  );
  if (only && more.length === 0) return only;
  if (only) {
    const ids = [only, ...more].slice(0, MOST_NAMED).map((target) => target.id);
    throw errors.create('ATTACH_AMBIGUOUS', { id, ids: ids.join(', ') });
  }
  return (await older(client, id)) ?? unknown(id, [...names.keys()]);
}

/** Lists hold the newest, and no session in which nothing was said yet: those are found by their whole names. */
async function older(client: ApiClient, id: string): Promise<Target | undefined> {
  const session = await found(client.call('viewSession', { params: { id }, query: { limit: '1' } }));
  if (session) return { kind: 'session', id: session.id, label: session.id };
  const view = await found(client.call('viewRun', { params: { id } }));
  return view && ofRun(view.run);
}

/** Nothing when the server says that it is not there. */
async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (fault) {
    if (fault instanceof ApiFault && fault.status < 500) return undefined;
    throw fault;
  }
}

function unknown(id: string, names: readonly string[]): never {
  throw errors.create('ATTACH_UNKNOWN', { id, hint: didYouMean(id, [...names]) });
}

/** What is open now: sessions with an agent, and runs that go on. Those of this folder come first. */
export async function openTargets(client: ApiClient, cwd: string): Promise<readonly Target[]> {
  const [{ sessions }, { runs }] = await Promise.all([
    client.call('listSessions', { query: { limit: '500' } }),
    client.call('listRuns', {}),
  ]);
  const open = sessions.filter(({ isOpen }) => isOpen).sort((a, b) => Number(b.cwd === cwd) - Number(a.cwd === cwd));
  return [...open.map(ofSession), ...runs.filter(({ state }) => !ENDED.has(state)).map(ofRun)];
}

function ofSession({ id, title, firstPrompt, isWorking, questions }: SessionRow): Target {
  const name = plainLine(title ?? firstPrompt ?? 'a new session').slice(0, 80);
  const asks = questions > 0 ? `, ${countText(questions)} open` : '';
  return { kind: 'session', id, label: `${name} · ${isWorking ? 'works' : 'rests'}${asks} · ${id.slice(0, 8)}` };
}

function ofRun({ id, alias, worker, state, request }: Run): Target {
  return { kind: 'run', id, label: `${alias} · ${worker} · ${state} · ${plainLine(request.task).slice(0, 80)}` };
}
