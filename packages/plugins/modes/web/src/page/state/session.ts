/** The session that is on the screen: loaded, then followed. */
import { signal } from '@preact/signals';
import { attempt, client, fetched, follow } from './connection.ts';
import { after, type Conversation, loaded, stored, withOlder } from './conversation.ts';
import { go } from './place.ts';

/** What is shown; undefined while it is loaded. */
export const conversation = signal<Conversation | undefined>(undefined);

/** Opens the session once more, after no agent could be started on it. */
export const openAgain = signal<(() => void) | undefined>(undefined);

const PAGE = '50';

/** Shows a session until the returned function is called. One that no agent works on is opened. */
export function show(id: string): () => void {
  const leaving = new AbortController();
  conversation.value = undefined;
  openAgain.value = undefined;
  void load(id, leaving.signal);
  return () => leaving.abort();
}

async function load(id: string, signal: AbortSignal): Promise<void> {
  const opening = fetched(() => client.call('openSession', { body: { resume: id } }, signal));
  // An agent that is there already is not kept waiting for what its session's file says.
  if (conversation.value === undefined) void showStored(id, signal);
  const view = await opening;
  if (signal.aborted) return;
  if (!view) {
    openAgain.value = () => {
      openAgain.value = undefined;
      void load(id, signal);
    };
    return;
  }
  conversation.value = loaded(view);
  let again: string | undefined;
  const round = new AbortController();
  const until = AbortSignal.any([signal, round.signal]);
  await follow('session', { id, after: view.at, signal: until }, (event) => {
    if (event.type === 'reset') {
      again = (event.data as { id?: string }).id ?? id;
      round.abort();
    } else if (conversation.value && !signal.aborted) conversation.value = after(conversation.value, event);
  });
  if (again === undefined || signal.aborted) return;
  // Another session has another address; the same one is loaded anew.
  if (again === id) await load(id, signal);
  else go(`/sessions/${again}`);
}

/** What was said is there at once; the agent takes a moment. */
async function showStored(id: string, signal: AbortSignal): Promise<void> {
  // A session that has no file yet has nothing to show.
  const query = { limit: PAGE };
  const found = await client.call('sessionEntries', { params: { id }, query }, signal).catch(() => undefined);
  if (found && !signal.aborted && conversation.value === undefined) conversation.value = stored(id, found);
}

/** Loads messages before those that are there. */
export async function loadOlder(): Promise<void> {
  const shown = conversation.value;
  const first = shown?.entries[0]?.index ?? 0;
  if (!shown || first === 0) return;
  const query = { before: String(first), limit: PAGE };
  const older = await attempt(() => client.call('sessionEntries', { params: { id: shown.id }, query }));
  if (older && conversation.value?.id === shown.id) conversation.value = withOlder(conversation.value, older.entries);
}
