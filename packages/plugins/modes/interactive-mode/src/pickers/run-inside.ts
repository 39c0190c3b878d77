/** Runs commands of the command line inside the screen: what they write is kept, what they ask becomes a question here. */
import { type AskOptions, commandLine } from '@tenon/command-line/api';
import { plainText } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { askText, isConfirmed, showWorking } from './small-dialogs.ts';

/** What a command wrote and gave. */
export interface InsideRun {
  readonly code: number;
  readonly out: string;
  readonly json: unknown;
}

/** How a command is run. */
export interface InsideOptions {
  /** Shows at once what the command writes: for those that wait for something outside, a browser for example. */
  readonly isLive?: boolean;
  /** What is said while it runs, for those that take a while; Esc stops them then. */
  readonly working?: string;
}

/**
 * Runs a command by its words; names that others chose belong behind `--`. Rules about who may run it hold as in a shell, and
 * what it throws goes to the caller.
 */
export async function runInside(
  seat: Seat,
  words: readonly string[],
  { isLive = false, working }: InsideOptions = {},
): Promise<InsideRun> {
  let out = '';
  let json: unknown;
  const write = async (text: string) => {
    out += text;
    if (isLive && text.trim() !== '') seat.notify(plainText(text).trim());
  };
  const controller = new AbortController();
  const stop = () => controller.abort(new DOMException('The user stopped the command.', 'AbortError'));
  const show = () => (working === undefined ? () => undefined : showWorking(seat, working, stop));
  let hide = show();
  const ask = async (question: string, { secret = false }: AskOptions = {}) => {
    hide();
    // What the command said so far is what the answer is about.
    if (!isLive) seat.print(asRows(seat, out));
    out = '';
    const answer = secret
      ? await askText(seat, question.trim(), { isSecret: true })
      : (await isConfirmed(seat, question.replace(/\s*\[y\/N\]\s*$/i, ''), 'Yes', 'No'))
        ? 'y'
        : 'n';
    hide = show();
    return answer ?? '';
  };
  const io = { out: write, err: write, json: async (value: unknown) => void (json = value), ask };
  try {
    const line = await seat.ctx.find(commandLine);
    const code = await line.run(words, {
      help: false,
      cwd: seat.agent.cwd,
      signal: AbortSignal.any([seat.call.signal, controller.signal]),
      io: { ...io, color: false, interactive: true, terminal: false, width: seat.columns },
    });
    return { code, out, json };
  } finally {
    hide();
  }
}

/** Text of a command as rows of the transcript. */
function asRows({ text, columns }: Seat, words: string): string[] {
  const plain = plainText(words).trimEnd();
  return plain === '' ? [] : text.wrap(plain, columns);
}

/** Runs a command that changes something and tells what came of it; false when it failed. */
export async function runAndTell(seat: Seat, words: readonly string[], options: InsideOptions = {}): Promise<boolean> {
  const { code, out } = await runInside(seat, words, options);
  const text = plainText(out).trim();
  if (text !== '' && !options.isLive) seat.notify(text, code === 0 ? 'info' : 'error');
  return code === 0;
}
