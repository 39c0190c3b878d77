/** Lists what is kept, says what taking it back would change, and takes it back. */
import type { Undo, UndoChange, UndoEntry, UndoHeld, UndoOutcome, UndoPreview, UndoRequest } from './api.ts';
import { textOf } from './byte-paths.ts';
import { whyUnkept } from './entry.ts';
import { errors } from './errors.ts';
import { gitNotes } from './git-facts.ts';
import { type CallRecord, type RecordHead, undoneBy } from './records.ts';
import { restore } from './restore.ts';
import { actionOf, type Held, type Operation, planRestore, type RestorePlan } from './restore-plan.ts';
import type { Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/** Makes the service. */
export function createUndo(workspaces: Workspaces): Undo {
  return {
    async list({ cwd, session }) {
      const workspace = await workspaces.around(cwd);
      const heads = await workspace.records.heads();
      const undone = undoneBy(heads);
      const wanted = heads.filter((head) => session === undefined || isOf(head, session));
      return wanted.map((head) => entryOf(head, undone)).toReversed();
    },
    async preview(request) {
      const workspace = await workspaces.around(request.cwd);
      return workspace.locked(async () => (await look(workspace, request)).preview, request.signal);
    },
    async restore(request) {
      const workspace = await workspaces.around(request.cwd);
      return workspace.locked(() => takeBack(workspace, request), request.signal);
    },
  };
}

interface Looked {
  readonly preview: UndoPreview;
  readonly plan: RestorePlan;
}

async function look(workspace: Workspace, request: UndoRequest): Promise<Looked> {
  // What stands there now is kept before anything else is thought about.
  await workspace.closeInterrupted();
  const { index } = await workspace.refresh();
  const heads = await workspace.records.heads();
  const chosen = choose(heads, request, workspace.root);
  const records: CallRecord[] = [];
  for (const { id } of chosen) {
    const record = await workspace.records.read(id);
    if (record) records.push(record);
  }
  const plan = planRestore(records, (path) => index.entry(path), request.force === true);
  const undone = undoneBy(heads);
  return {
    plan,
    preview: {
      workspace: workspace.root,
      entries: records.map((record) => entryOf(record, undone)),
      changes: plan.operations.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(changeOf),
      held: plan.held.map(heldOf),
      git: gitOf(records, workspace.indexCopies),
    },
  };
}

async function takeBack(workspace: Workspace, request: UndoRequest): Promise<UndoOutcome> {
  const { plan, preview } = await look(workspace, request);
  if (plan.operations.length === 0) return preview;
  const ids = preview.entries.map(({ id }) => id);
  const kind = request.redo === true ? 'redo' : 'undo';
  const { id } = await workspace.begin({
    kind,
    tool: kind,
    title: `${kind} of ${ids.join(', ')}`,
    undoes: ids,
    ...(request.session !== undefined && { session: preview.entries[0]?.session ?? request.session }),
  });
  const { done, failed } = await restore(workspace.root, plan.operations, {
    blobs: workspace.blobs,
    force: request.force === true,
  });
  await workspace.end(id);
  const isDone = new Set(done.map(({ path }) => textOf(path)));
  return {
    ...preview,
    id,
    changes: preview.changes.filter(({ path }) => isDone.has(path)),
    held: [
      ...preview.held,
      ...failed.map(({ path, reason }): UndoHeld => ({ path: textOf(path), reason: 'failed', text: reason })),
    ],
  };
}

/** The records that a request means, newest first. */
function choose(heads: readonly RecordHead[], request: UndoRequest, folder: string): RecordHead[] {
  const { count = 1, to, session, calls, redo = false } = request;
  const undone = undoneBy(heads);
  const what = redo ? 'redo' : 'undo';
  const candidates = heads
    .filter(({ kind, state, id }) => (kind === 'call') === !redo && state !== 'open' && !undone.has(id))
    // A redo is taken back by an undo of the calls that it brought back.
    .filter(({ kind }) => !redo || kind === 'undo')
    .filter((head) => session === undefined || calls !== undefined || isOf(head, session))
    .toReversed();
  if (to !== undefined) {
    if (!candidates.some(({ id }) => id === to)) throw errors.create('UNDO_UNKNOWN', { id: String(to), folder });
    return candidates.filter(({ id }) => id >= to);
  }
  if (calls !== undefined) return named(candidates, calls, session);
  if (candidates.length === 0) throw errors.create('UNDO_NOTHING', { what, folder });
  return candidates.slice(0, count);
}

/** Whether a call was made by a session or by one of its subagents; the first letters of its id are enough. */
function isOf({ session, madeFor = [] }: RecordHead, wanted: string): boolean {
  return [session, ...madeFor.map((call) => call.session)].some((id) => id?.startsWith(wanted) === true);
}

/**
 * The calls with these ids, and those that subagents made for them. A session that was copied from another one has calls of that one, too; where several sessions have
 * the same id, because their model counts, the one that is asked about wins, then the newest.
 */
function named(
  newestFirst: readonly RecordHead[],
  calls: readonly string[],
  session: string | undefined,
): RecordHead[] {
  const found = new Map<string, RecordHead>();
  for (const head of newestFirst) {
    const { callId } = head;
    // A subagent's model counts as well: its ids mean something else.
    if (callId === undefined || !calls.includes(callId) || head.madeFor?.some((call) => call.session === session))
      continue;
    const known = found.get(callId);
    if (!known || (known.session !== session && head.session === session)) found.set(callId, head);
  }
  const chosen = new Set(found.values());
  const isMadeFor = ({ madeFor = [] }: RecordHead) =>
    madeFor.some((call) => call.session === session && call.callId !== undefined && calls.includes(call.callId));
  return newestFirst.filter((head) => chosen.has(head) || isMadeFor(head));
}

function entryOf(head: RecordHead, undone: ReadonlyMap<number, number>): UndoEntry {
  const { id, kind, state, tool, title, session, callId, at, counts, notKept, shared, undoes } = head;
  const by = undone.get(id);
  return {
    id,
    kind,
    state,
    tool,
    title,
    ...(session !== undefined && { session }),
    ...(callId !== undefined && { callId }),
    at,
    counts,
    notKept,
    ...(shared === true && { shared }),
    ...(undoes && { undoes }),
    ...(by !== undefined && { undoneBy: by }),
  };
}

function changeOf(operation: Operation): UndoChange {
  const { path, from, to } = operation;
  const kind = (to ?? from)?.kind ?? 'other';
  return {
    path: textOf(path),
    action: actionOf(operation),
    kind,
    ...(to && kind !== 'link' && { mode: (to.mode & 0o777).toString(8).padStart(3, '0') }),
    ...(to?.kind === 'file' && { size: to.size }),
  };
}

function heldOf({ path, reason, entry, call }: Held): UndoHeld {
  const texts: Readonly<Record<Held['reason'], string>> = {
    'changed-since': `changed by somebody else after call ${call}; --force takes it back too`,
    'not-kept': `what it was before call ${call} is not kept: ${entry ? whyUnkept(entry) : 'unknown'}`,
    'in-the-way': 'a file stands where its folder was',
    unsafe: 'it belongs to git or to Tenon',
  };
  return { path: textOf(path), reason, text: texts[reason] };
}

function gitOf(records: readonly CallRecord[], copies: string) {
  const moved = records.filter(({ git }) => git?.after !== undefined);
  const before = moved.at(-1)?.git?.before;
  const after = moved[0]?.git?.after;
  return before && after ? gitNotes(before, after, copies) : [];
}
