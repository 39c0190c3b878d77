/** Short questions of pickers: a line of text, yes or no, and work that takes a while. */
import { faultText } from '@tenon/agent/api';
import { keyName, LineInput } from '@tenon/components';
import { plainText } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { framed } from './framed.ts';
import { chooseOne, closingHints } from './list-picker.ts';

/** How a line of text is asked for. */
export interface TextOptions {
  readonly initial?: string;
  /** Dots stand for the characters. */
  readonly isSecret?: boolean;
}

/** Asks for a line of text; nothing when the user closed the dialog. */
export function askText(
  seat: Seat,
  title: string,
  { initial = '', isSecret = false }: TextOptions = {},
): Promise<string | undefined> {
  return seat.ask<string>((done) => {
    const { text } = seat;
    const line = new LineInput({
      text,
      theme: () => seat.theme,
      marker: '> ',
      ...(isSecret && { mask: '•' }),
      onSubmit: (value) => done(value),
      onCancel: () => done(undefined),
    });
    line.text = initial;
    return framed(seat, {
      render: (width) => [
        ...text.wrap(plainText(title), width).map((row) => seat.theme.bold(seat.theme.fg('accent', row))),
        ...line.render(width),
        text.truncate(seat.theme.fg('dim', closingHints(seat, 'choose', 'back')), width),
      ],
      handleInput: (data) => line.handleInput(data),
    });
  });
}

/** Asks yes or no; closing the dialog is no. `no` comes first, so that Enter alone changes nothing. */
export async function isConfirmed(seat: Seat, title: string, yes: string, no = 'No'): Promise<boolean> {
  const items = [
    { value: false, label: no },
    { value: true, label: yes },
  ];
  return (await chooseOne(seat, { title, items, hasFilter: false }))?.value ?? false;
}

/** Says in place of the editor that something goes on; Esc calls `stop`, where that is possible. The result closes it. */
export function showWorking(seat: Seat, words: string, stop?: () => void): () => void {
  const controller = new AbortController();
  void seat.ask<never>(
    () => ({
      ownsEscape: true,
      render: (width) => [seat.text.truncate(seat.theme.fg('muted', stop ? `${words} · esc stops` : words), width)],
      handleInput: (data) => {
        if (['escape', 'ctrl+c'].includes(keyName(data) ?? '')) stop?.();
      },
    }),
    controller.signal,
  );
  return () => controller.abort();
}

/** Does work while a row says so; Esc stops it with `stop`. Gives what the work gives. */
export async function whileWorking<T>(seat: Seat, words: string, work: Promise<T>, stop?: () => void): Promise<T> {
  const close = showWorking(seat, words, stop);
  try {
    return await work;
  } finally {
    close();
  }
}

/** Does what was asked for; a failure is told, and gives nothing. */
export async function reporting<T>(seat: Seat, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    seat.notify(faultText(fault), 'error');
    return undefined;
  }
}
