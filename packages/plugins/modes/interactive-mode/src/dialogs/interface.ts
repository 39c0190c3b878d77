/** How plugins talk to the user on the screen. */
import type { ApprovalDecision, ApprovalQuestion, DialogOptions, FormAnswer, UserInterface } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { prepareDiffs } from '../cards/diff-rows.ts';
import type { Dialog, Seat } from '../seat.ts';
import { ApprovalDialog } from './approval-dialog.ts';
import type { FilePreview } from './approval-rows.ts';
import { Countdown } from './countdown.ts';
import { FormDialog } from './form-dialog.ts';
import { QuestionQueue } from './question-queue.ts';
import { SelectDialog, type SelectQuestion } from './select-dialog.ts';
import { type FieldParts, TextDialog, type TextQuestion } from './text-dialog.ts';

/** What the host of the dialogs does beside showing them. */
export interface InterfaceExtras extends FieldParts {
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: readonly string[] | undefined): void;
  setTitle(title: string): void;
  /** Instead of `notify` and `setDraft` of the seat. */
  notify?(message: string, kind?: 'info' | 'warning' | 'error'): void;
  setEditorText?(text: string): void;
  /** What a call would change in files, for calls that change some. */
  preview?(question: ApprovalQuestion): Promise<readonly FilePreview[]>;
  /** A call waits for the answer to a question about it, or goes on. */
  onWaiting?(question: ApprovalQuestion, isWaiting: boolean): void;
  /** A question is shown, or all are answered: for spinners, the bell, the title. */
  onAsking?(isAsking: boolean): void;
}

/** What the dialogs need of the seat. */
export type DialogSeat = Pick<
  Seat,
  'ask' | 'notify' | 'setDraft' | 'requestFrame' | 'isKey' | 'keysOf' | 'theme' | 'text' | 'rows'
>;

type Make<T> = (done: (answer: T | undefined) => void, clock: Countdown) => Dialog;

/** Makes it. Questions are shown one after the other. */
export function createInterface(seat: DialogSeat, extras: InterfaceExtras): UserInterface {
  const queue = new QuestionQueue();
  let open = 0;
  const changeOpen = (by: number) => {
    const wasAsking = open > 0;
    open += by;
    if (wasAsking !== open > 0) extras.onAsking?.(open > 0);
  };
  const show = async <T>(make: Make<T>, dialog: DialogOptions, endsItself: boolean): Promise<T | undefined> => {
    const { signal, timeoutMs } = dialog;
    const clock = new Countdown(timeoutMs, () => seat.requestFrame());
    const ends = AbortSignal.any([...(signal ? [signal] : []), ...(endsItself ? [] : [clock.signal])]);
    changeOpen(1);
    try {
      return await seat.ask<T>((done) => make(done, clock), ends);
    } finally {
      clock.stop();
      changeOpen(-1);
    }
  };
  const ask = <T>(make: Make<T>, dialog: DialogOptions = {}, endsItself = false): Promise<T | undefined> =>
    queue.run(() => show(make, dialog, endsItself), dialog.signal);
  const select = (question: SelectQuestion, dialog?: DialogOptions) =>
    ask<number>((done, clock) => new SelectDialog(seat, question, { ...now(extras), clock, done }), dialog);
  const write = (question: TextQuestion, dialog?: DialogOptions) =>
    ask<string>((done, clock) => new TextDialog(seat, question, { ...fieldParts(extras), clock, done }), dialog);

  return {
    canAsk: () => true,
    async select(title, options, dialog) {
      const at = await select({ title, options: options.map((label) => ({ label })) }, dialog);
      return at === undefined ? undefined : options[at];
    },
    async confirm(title, message, dialog) {
      const options = [
        { label: 'Yes', letter: 'y' },
        { label: 'No', letter: 'n' },
      ];
      return (await select({ title, message, options }, dialog)) === 0;
    },
    input: (title, placeholder, dialog) =>
      write({ title, isLong: false, ...(placeholder !== undefined && { placeholder }) }, dialog),
    editor: (title, prefill, dialog) =>
      write({ title, isLong: true, ...(prefill !== undefined && { prefill }) }, dialog),
    async decide(question, dialog) {
      extras.onWaiting?.(question, true);
      try {
        return await ask<ApprovalDecision>((done, clock) => {
          const waiting = () => queue.waiting;
          const shown = new ApprovalDialog(seat, question, { ...fieldParts(extras), clock, waiting, done });
          if (extras.preview) void showPreview(seat, extras.preview(question), shown);
          return shown;
        }, dialog);
      } finally {
        extras.onWaiting?.(question, false);
      }
    },
    // Time that runs out gives what was answered so far: the form ends itself.
    fillIn: (questions, dialog) =>
      ask<readonly FormAnswer[]>(
        (done, clock) => new FormDialog(seat, questions, { ...fieldParts(extras), clock, done }),
        dialog,
        true,
      ),
    notify: (message, kind) => (extras.notify ? extras.notify(message, kind) : seat.notify(message, kind)),
    setStatus: (key, text) => extras.setStatus(key, text),
    setWidget: (key, lines) => extras.setWidget(key, lines),
    setTitle: (title) => extras.setTitle(title),
    setEditorText: (text) => (extras.setEditorText ? extras.setEditorText(text) : seat.setDraft(text)),
  };
}

/** The question stands without it: the whole input is shown in any case. */
async function showPreview(
  seat: DialogSeat,
  preview: Promise<readonly FilePreview[]>,
  dialog: ApprovalDialog,
): Promise<void> {
  try {
    const [previews] = await Promise.all([preview, prepareDiffs()]);
    dialog.previews = previews;
  } catch (fault) {
    seat.notify(`The change cannot be shown as a diff: ${messageOf(fault)}`, 'warning');
  }
}

const now = ({ now: clock }: FieldParts) => ({ ...(clock && { now: clock }) });

const fieldParts = (extras: InterfaceExtras): FieldParts => ({
  ...now(extras),
  ...(extras.externalEditor && {
    externalEditor: (text: string) => extras.externalEditor?.(text) ?? Promise.resolve(undefined),
  }),
});
