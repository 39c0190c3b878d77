/** Back to before a message of the user: the conversation, the files, or both. */
import type { Session } from '@tenon/sessions/api';
import { callsAfter, type Undo, undo, type UndoPreview } from '@tenon/undo/api';
import { counted, plainLine, timeAgo } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { patiently, userText } from './entry-texts.ts';
import { chooseOne, ListPicker, closingHints } from './list-picker.ts';
import { reporting } from './small-dialogs.ts';
import { goTo } from './tree.ts';
import { firstWords } from './wordings.ts';

type What = 'conversation' | 'both' | 'files';

/** A message of the user that one can go back to. */
interface Said {
  readonly id: string;
  readonly text: string;
  readonly at: string;
}

const PREVIEW_ROWS = 5;

/** Shows the messages of the user, newest first, and goes back to before the one that is taken. */
export async function openRewind(seat: Seat): Promise<void> {
  const { session } = seat.agent;
  const said = await messagesOf(session);
  if (said.length === 0) {
    seat.notify('Nothing was said yet, so there is nothing to go back to.');
    return;
  }
  const files = await seat.ctx.findOptional(undo);
  const picker = new ListPicker<Said>(seat, {
    title: 'Go back to before…',
    keepsOrder: true,
    items: said.map((message) => ({ value: message, label: firstWords(message.text), hint: timeAgo(message.at) })),
    ...(files && {
      preview: async ({ id }) => changeRows(await filesAfter(seat, files, id)),
      previewRows: PREVIEW_ROWS,
    }),
    footer: () => closingHints(seat, 'go back', 'stay'),
  });
  for (;;) {
    const target = (await picker.next())?.item?.value;
    if (!target) return;
    const what = await askWhat(seat, files, target);
    if (what && (await goBack(seat, files, target, what))) return;
  }
}

async function messagesOf(session: Session): Promise<Said[]> {
  const said: Said[] = [];
  for await (const entry of patiently(session.walk())) {
    const text = userText(entry);
    if (text !== undefined) said.push({ id: entry.id, text, at: entry.timestamp });
  }
  return said;
}

/** The calls that come after a message, as undo wants them. */
function requestOf({ agent }: Seat, id: string) {
  return { cwd: agent.cwd, session: agent.session.id, calls: callsAfter(agent.session, id) };
}

async function filesAfter(seat: Seat, files: Undo, id: string): Promise<UndoPreview | undefined> {
  const request = requestOf(seat, id);
  return request.calls.length === 0 ? undefined : files.preview(request);
}

function changeRows(preview: UndoPreview | undefined): string[] {
  if (!preview || preview.changes.length + preview.held.length === 0) return ['No file was changed since.'];
  const { changes, held } = preview;
  return [
    ...changes.map(({ action, path }) => `${action} ${plainLine(path)}`),
    ...held.map(({ path, text }) => `stays: ${plainLine(path)} (${plainLine(text)})`),
  ];
}

/** What goes back. Where no file was changed since, there is nothing to ask. */
async function askWhat(seat: Seat, files: Undo | undefined, { id }: Said): Promise<What | undefined> {
  const preview = files && (await reporting(seat, () => filesAfter(seat, files, id)));
  const count = preview?.changes.length ?? 0;
  if (count === 0) return 'conversation';
  const changed = counted(count, 'file');
  const chosen = await chooseOne<What>(seat, {
    title: 'What goes back?',
    hasFilter: false,
    items: [
      { value: 'conversation', label: 'The conversation', detail: 'files stay as they are' },
      { value: 'both', label: 'The conversation and the files', detail: changed },
      { value: 'files', label: 'The files', detail: `${changed}; the conversation stays` },
    ],
    footer: () => closingHints(seat, 'go back', 'back to the messages'),
  });
  return chosen?.value;
}

async function goBack(seat: Seat, files: Undo | undefined, { id }: Said, what: What): Promise<boolean> {
  // The calls are those of the branch that is left: they are looked up before the conversation moves.
  const request = requestOf(seat, id);
  if (what !== 'files' && !(await goTo(seat, id))) return false;
  if (what === 'conversation' || !files) return true;
  const outcome = await reporting(seat, () => files.restore(request));
  if (!outcome) return true;
  const held = outcome.held.map(({ path, text }) => `${plainLine(path)}: ${plainLine(text)}`);
  seat.notify(`${counted(outcome.changes.length, 'file')} restored; \`tenon undo --redo\` takes that back.`);
  if (held.length > 0) seat.notify(`Not restored: ${held.join('; ')}`, 'warning');
  return true;
}
