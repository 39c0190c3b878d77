/** Other sessions: find, look into, rename, remove, and go on with one. */
import { keyHints } from '@tenon/components';
import { folders } from '@tenon/host';
import { type SessionStore, type SessionSummary, sessionStore } from '@tenon/sessions/api';
import { byteText, timeAgo } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { messageText } from './entry-texts.ts';
import { CHOOSE, ListPicker } from './list-picker.ts';
import { sessionsSaying } from './session-search.ts';
import { askText, isConfirmed, reporting } from './small-dialogs.ts';
import { shortFolder } from '../short-folder.ts';
import { firstWords } from './wordings.ts';

const KEYS = { 'list.switch': 'folders', 'list.rename': 'rename', 'list.remove': 'remove' };
const PREVIEW_ROWS = 6;

/** Shows the sessions of this folder, or of all folders, and goes on with the one that the user takes. */
export async function openSessions(seat: Seat): Promise<void> {
  const store = await seat.ctx.find(sessionStore);
  const { home } = await seat.ctx.find(folders);
  let isEverywhere = false;
  let all: readonly SessionSummary[] = [];
  const read = async () => {
    all = await store.list(isEverywhere ? {} : { cwd: seat.agent.cwd });
    return all.map((session) => asItem(session, { current: seat.agent.session.id, isEverywhere, home }));
  };
  const title = () => (isEverywhere ? 'Sessions of all folders' : 'Sessions of this folder');
  const picker = new ListPicker<SessionSummary>(seat, {
    title: title(),
    items: await read(),
    empty: 'There are no sessions. `tenon session import` lists conversations of other agents.',
    keys: KEYS,
    preview: (session, signal) => lastMessages(store, session, seat, signal),
    previewRows: PREVIEW_ROWS,
    search: (words, signal) => sessionsSaying(all, words, signal),
    footer: () =>
      keyHints(seat, [
        ['list.choose', 'open'],
        ['list.switch', isEverywhere ? 'this folder' : 'all folders'],
        ['list.rename', 'rename'],
        ['list.remove', 'remove'],
        ['list.close', 'close'],
      ]),
  });
  for (;;) {
    const answer = await picker.next();
    if (!answer) return;
    const session = answer.item?.value;
    if (answer.action === CHOOSE && session) return switchTo(seat, session);
    if (answer.action === 'folders') isEverywhere = !isEverywhere;
    else if (answer.action === 'rename' && session) await rename(seat, store, session);
    else if (answer.action === 'remove' && session) await remove(seat, store, session);
    picker.list.title = title();
    picker.list.setItems(await read(), (a, b) => a.file === b.file);
  }
}

function asItem(
  session: SessionSummary,
  { current, isEverywhere, home }: { current: string; isEverywhere: boolean; home: string },
) {
  const { title, firstPrompt, cwd, modified, bytes, id } = session;
  const prompt = firstPrompt === undefined ? undefined : firstWords(firstPrompt);
  const detail = isEverywhere ? shortFolder(cwd, home) : title === undefined ? undefined : prompt;
  return {
    value: session,
    label: firstWords(title ?? prompt ?? '') || '(nothing was said)',
    ...(detail !== undefined && { detail }),
    hint: `${timeAgo(modified)}  ${byteText(bytes)}`,
    keywords: `${prompt ?? ''} ${id} ${cwd}`,
    isCurrent: id === current,
  };
}

async function lastMessages(
  store: SessionStore,
  { file }: SessionSummary,
  { theme }: Seat,
  signal: AbortSignal,
): Promise<string[]> {
  const session = await store.open(file, { readOnly: true });
  try {
    const rows: string[] = [];
    for (const entry of session.walk()) {
      if (signal.aborted || rows.length >= PREVIEW_ROWS) break;
      if (entry.type !== 'message') continue;
      const { kind, text } = messageText(entry.message);
      if (kind === 'user') rows.unshift(`${theme.fg('accent', '❯')} ${text}`);
      else if (kind === 'assistant') rows.unshift(`  ${text}`);
      else rows.unshift(theme.fg('muted', `  ${text}`));
    }
    return rows.length === 0 ? [theme.fg('muted', 'Nothing was said.')] : rows;
  } finally {
    await session.close();
  }
}

async function switchTo(seat: Seat, { file, cwd }: SessionSummary): Promise<void> {
  const moved = await reporting(seat, () => seat.agent.switchSession(file));
  if (moved?.cancelled === false && cwd !== seat.agent.cwd)
    seat.notify(
      `This session began in ${firstWords(cwd)}; the agent goes on in ${firstWords(seat.agent.cwd)}.`,
      'warning',
    );
  // That another session is there now, the agent tells the screen itself.
  if (moved?.cancelled) seat.notify('A plugin kept the session from being left.', 'warning');
}

async function rename(seat: Seat, store: SessionStore, { file, id, title }: SessionSummary): Promise<void> {
  const name = (await askText(seat, 'Name of the session', { initial: title ?? '' }))?.trim();
  if (name === undefined || name === '') return;
  await reporting(seat, async () => {
    const { session: own } = seat.agent;
    if (own.id === id) return own.setTitle(name, 'user');
    const other = await store.open(file);
    try {
      await other.setTitle(name, 'user');
    } finally {
      await other.close();
    }
  });
}

async function remove(seat: Seat, store: SessionStore, session: SessionSummary): Promise<void> {
  if (session.id === seat.agent.session.id) {
    seat.notify('This session is open; open another one before you remove it.', 'warning');
    return;
  }
  const name = firstWords(session.title ?? session.firstPrompt ?? session.id);
  if (!(await isConfirmed(seat, `Remove "${name}" for good?`, 'Yes, remove it', 'No, keep it'))) return;
  await reporting(seat, () => store.remove(session.file));
}
