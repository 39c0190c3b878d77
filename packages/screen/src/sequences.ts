/** Things to say to a terminal beside the rows: each function gives the sequence to write, safe whatever the text is. */
import type { TerminalFacts } from './facts.ts';

/** How the user is told that something happened. */
export type NotifyKind = 'osc9' | 'osc777' | 'bell' | 'none';

type Known = Pick<TerminalFacts, 'name' | 'multiplexer' | 'kind'>;

const LONGEST_TITLE = 200;
const LONGEST_NOTICE = 500;
/** xterm and others drop a longer one. */
const LONGEST_CLIPBOARD = 100_000;
const LONGEST_URL = 2083;
/** GNU screen drops strings longer than that. */
const SCREEN_PART = 700;
const NOTIFIES: Readonly<Record<string, NotifyKind>> = {
  iterm2: 'osc9',
  wezterm: 'osc9',
  ghostty: 'osc9',
  kitty: 'osc9',
  foot: 'osc777',
  rxvt: 'osc777',
  vte: 'osc777',
  warp: 'osc777',
};

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
const SAFE_URL = /^(?:https?|mailto|file):[!-~]+$/i;

/** One line without controls, nor marks that turn the direction of writing. */
const oneLine = (text: string, longest: number): string =>
  Array.from(text.replaceAll(CONTROLS, ' ').trim()).slice(0, longest).join('').toWellFormed();

/** Sets the window's title. */
export function setTitle(text: string, facts?: Known): string {
  return facts && facts.kind !== 'full' ? '' : `\x1b]0;${oneLine(text, LONGEST_TITLE)}\x07`;
}

/** The kind of notice that this terminal shows; the bell where nothing else is known. */
export function notifyKind(facts: Known): NotifyKind {
  if (facts.kind === 'none') return 'none';
  if (facts.kind === 'console' || facts.multiplexer) return 'bell';
  return NOTIFIES[facts.name ?? ''] ?? 'bell';
}

/** Tells the user outside of the screen. */
export function notify(text: string, kind: NotifyKind, title = 'Tenon'): string {
  const said = oneLine(text, LONGEST_NOTICE);
  if (kind === 'none') return '';
  if (kind === 'bell') return '\x07';
  if (kind === 'osc777') return `\x1b]777;notify;${oneLine(title, 80).replaceAll(';', ',')};${said}\x1b\\`;
  // Digits and a semicolon would be an order of another kind: progress, for instance.
  return `\x1b]9;${/^\d+(?:;|$)/.test(said) ? ' ' : ''}${said}\x1b\\`;
}

/** How a copy gets through. */
export interface ClipboardOptions {
  /** The longest base64 text that is sent; 100,000 characters unless given. */
  readonly limit?: number;
  /** tmux passes sequences on (`allow-passthrough`): then the terminal around it gets the copy, too. */
  readonly passthrough?: boolean;
}

/** Puts text on the clipboard of the machine where the user sits; nothing when it is too long or cannot get there. */
export function copyToClipboard(text: string, facts?: Known, options: ClipboardOptions = {}): string | undefined {
  if (facts && facts.kind !== 'full') return undefined;
  const payload = Buffer.from(text.toWellFormed()).toString('base64');
  if (payload.length > (options.limit ?? LONGEST_CLIPBOARD)) return undefined;
  const sequence = `\x1b]52;c;${payload}\x07`;
  if (facts?.multiplexer === 'screen') return throughScreen(sequence);
  return facts?.multiplexer === 'tmux' && options.passthrough ? sequence + throughTmux(sequence) : sequence;
}

/** A sequence that tmux hands to the terminal around it, where that is allowed. */
export function throughTmux(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`;
}

function throughScreen(sequence: string): string {
  const parts = sequence.match(new RegExp(`[^]{1,${SCREEN_PART}}`, 'g')) ?? [];
  return parts.map((part) => `\x1bP${part}\x1b\\`).join('');
}

/** Text that opens an address when it is clicked; the text alone when the address is none that may be opened. */
export function link(text: string, url: string): string {
  const isSafe = url.length <= LONGEST_URL && SAFE_URL.test(url);
  return isSafe ? `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\` : text;
}
