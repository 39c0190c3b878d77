/** The tree of the session: go back, go over to another branch, give places names, or fork. */
import { keyHints, TreeList, type TreeNode } from '@tenon/components';
import type { Seat } from '../seat.ts';
import { framed } from './framed.ts';
import { chooseOne, listRows, closingHints } from './list-picker.ts';
import { isShownIn, leavesSomething, sessionTree, TREE_MODES, type TreeEntry } from './session-tree.ts';
import { askText, reporting, whileWorking } from './small-dialogs.ts';

interface TreeAnswer {
  readonly action: 'move' | 'label' | 'fork';
  readonly node: TreeNode<TreeEntry>;
}

/** Shows the tree of the session and goes where the user wants. */
export async function openTree(seat: Seat): Promise<void> {
  const { session } = seat.agent;
  let mode = 0;
  let done: (answer: TreeAnswer | undefined) => void = () => undefined;
  const shownMode = () => TREE_MODES[mode % TREE_MODES.length] ?? 'usual';
  const tree = new TreeList<TreeEntry>({
    look: seat,
    roots: await sessionTree(session),
    current: session.leafId,
    title: 'Session tree',
    empty: 'There is nothing to go to.',
    get maxRows() {
      return listRows(seat, -4);
    },
    isShown: ({ value }) => isShownIn(shownMode(), value),
    color: ({ value }, text) => {
      const { theme } = seat;
      if (value.kind === 'user') return theme.fg('accent', text);
      return value.kind === 'assistant' ? text : theme.fg('muted', text);
    },
    footer: () =>
      keyHints(seat, [
        ['list.choose', 'go there'],
        ['list.switch', `shows: ${shownMode()}`],
        ['list.label', 'label'],
        ['list.fork', 'fork'],
        ['list.fold', 'fold'],
        ['list.close', 'close'],
      ]),
    onChoose: (node) => done({ action: 'move', node }),
    onCancel: () => done(undefined),
    onKey(_name, node, data) {
      const isBack = seat.isKey(data, 'list.switchBack');
      if (isBack || seat.isKey(data, 'list.switch')) {
        mode += isBack ? TREE_MODES.length - 1 : 1;
        tree.refresh();
        return true;
      }
      if (node && seat.isKey(data, 'list.label')) done({ action: 'label', node });
      else if (node && seat.isKey(data, 'list.fork')) done({ action: 'fork', node });
      else return false;
      return true;
    },
  });
  for (;;) {
    const answer = await seat.ask<TreeAnswer>((close) => {
      done = close;
      return framed(seat, tree);
    });
    if (!answer) return;
    const { action, node } = answer;
    if (action === 'label') {
      await setLabel(seat, node);
      tree.setRoots(await sessionTree(session), session.leafId);
    } else if (action === 'fork') {
      if (await fork(seat, node)) return;
    } else if (await moveTo(seat, node)) return;
  }
}

async function setLabel(seat: Seat, { id, value }: TreeNode<TreeEntry>): Promise<void> {
  const words = await askText(seat, 'Label of this place; leave it empty to remove it', {
    initial: value.label ?? '',
  });
  if (words === undefined) return;
  const label = words.trim();
  if (label === (value.label ?? '')) return;
  await reporting(seat, () => seat.agent.session.append('label', { targetId: id, ...(label !== '' && { label }) }));
}

/** Copies the conversation up to a message of the user into a session of its own. */
async function fork(seat: Seat, { id, value }: TreeNode<TreeEntry>): Promise<boolean> {
  if (value.kind !== 'user') {
    seat.notify('A fork begins at a message of yours; choose one of those.', 'warning');
    return false;
  }
  const before = seat.agent.session.id;
  const moved = await reporting(seat, () => seat.agent.branch(id));
  if (!moved) return false;
  if (moved.cancelled) {
    seat.notify('A plugin called the fork off.', 'warning');
    return false;
  }
  // Another session is shown by itself; one without a file stays, and goes back.
  if (seat.agent.session.id === before) seat.showSession();
  seat.setDraft(moved.text);
  return true;
}

type Summary = { readonly summarize?: boolean; readonly instructions?: string };

async function moveTo(seat: Seat, { id }: TreeNode<TreeEntry>): Promise<boolean> {
  const { agent } = seat;
  if (id === agent.session.leafId) {
    seat.notify('You are there already.');
    return false;
  }
  const summary = leavesSomething(agent.session, id) ? await askSummary(seat) : {};
  if (!summary) return false;
  return goTo(seat, id, summary);
}

/** Moves to an entry of the session and shows it; what was said there goes into the editor. */
export async function goTo(seat: Seat, id: string, summary: Summary = {}): Promise<boolean> {
  const { agent } = seat;
  const moved = await reporting(seat, () => {
    const move = agent.branchTo(id, summary);
    if (summary.summarize !== true) return move;
    return whileWorking(seat, 'Summarizing what is left behind…', move, () => void agent.abort());
  });
  if (!moved) return false;
  if (moved.cancelled) {
    seat.notify('A plugin called the move off.', 'warning');
    return false;
  }
  seat.showSession();
  if (moved.text !== undefined) seat.setDraft(moved.text);
  return true;
}

/** Whether what is left behind is summarized for the model; nothing when the user thinks better of it. */
async function askSummary(seat: Seat): Promise<Summary | undefined> {
  const chosen = await chooseOne<'no' | 'yes' | 'own'>(seat, {
    title: 'Should the model know what was said on the branch that you leave?',
    hasFilter: false,
    items: [
      { value: 'no', label: 'No', detail: 'go without it' },
      { value: 'yes', label: 'Yes', detail: 'the model writes a summary of it' },
      { value: 'own', label: 'Yes, with instructions', detail: 'you say what matters' },
    ],
    footer: () => closingHints(seat, 'go', 'back to the tree'),
  });
  if (!chosen) return undefined;
  if (chosen.value !== 'own') return { summarize: chosen.value === 'yes' };
  const instructions = await askText(seat, 'What should the summary keep?');
  return instructions === undefined ? undefined : { summarize: true, instructions };
}
