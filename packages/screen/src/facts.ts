/** What the terminal can do: hints of the environment first, then its own answers. Nobody waits for those. */
import { type Environment, environmentHints, type EnvironmentHints } from './environment-hints.ts';

/** A colour, 0 to 255 each. */
export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** What is known of the terminal. What is missing was not answered, or not yet. */
export interface TerminalFacts extends EnvironmentHints {
  readonly foreground?: Colour;
  readonly background?: Colour;
  /** Kitty's keyboard protocol. */
  readonly kittyKeys?: boolean;
  /** Images as sixels. */
  readonly sixel?: boolean;
  /** Synchronized output (mode 2026). */
  readonly synchronized?: boolean;
  /** Pixels of a cell. */
  readonly cell?: { readonly width: number; readonly height: number };
  /** Links (OSC 8) are shown, or ignored without harm. */
  readonly links: boolean;
  /** Everything has been answered, or will not be. */
  readonly isComplete: boolean;
}

/** What a finder needs. */
export interface FactFinderOptions {
  readonly environment: Environment;
  /** Node's name of the system; that of this process unless given. */
  readonly platform?: string;
  /** Something is known that was not. */
  onChange?(facts: TerminalFacts): void;
  /** How long answers are waited for, in milliseconds; 1000 unless given. Later ones count, but nobody waits. */
  readonly timeLimit?: number;
}

/** One question: what to send, and what its answer says. */
interface Question {
  readonly ask: string;
  /** Terminals that print the question instead of answering it. */
  readonly spares?: readonly string[];
  readonly answer: RegExp;
  read(match: readonly string[], facts: TerminalFacts): Partial<TerminalFacts>;
}

// oxlint-disable no-control-regex -- control sequences are what this is about
/** The last one fences the others off: a terminal answers in order, and all of them answer this one. */
const QUESTIONS: readonly Question[] = [
  {
    ask: '\x1b]10;?\x1b\\',
    answer: /^\x1b\]10;([^\x07\x1b]*)/,
    read: ([, colour = '']) => optional('foreground', readColour(colour)),
  },
  {
    ask: '\x1b]11;?\x1b\\',
    answer: /^\x1b\]11;([^\x07\x1b]*)/,
    read: ([, colour = '']) => {
      const background = readColour(colour);
      return background ? { background, isDark: isDarkColour(background) } : {};
    },
  },
  { ask: '\x1b[?u', answer: /^\x1b\[\?\d+u$/, read: () => ({ kittyKeys: true }) },
  {
    ask: '\x1b[>q',
    spares: ['apple-terminal'],
    answer: /^\x1bP>\|([^\x07\x1b]*)/,
    read: ([, said = ''], facts) => readVersion(said, facts),
  },
  {
    ask: '\x1b[?2026$p',
    spares: ['apple-terminal'],
    answer: /^\x1b\[\?2026;(\d)\$y$/,
    read: ([, state]) => ({ synchronized: state === '1' || state === '2' || state === '3' }),
  },
  {
    // The window in pixels; the size of a cell, which follows where it is known, is the better answer.
    ask: '\x1b[14t',
    answer: /^\x1b\[4;(\d+);(\d+)t$/,
    read: () => ({}),
  },
  {
    ask: '\x1b[16t',
    answer: /^\x1b\[6;(\d+);(\d+)t$/,
    read: ([, height, width]) => optional('cell', readCell(Number(width), Number(height))),
  },
  {
    ask: '\x1b[c',
    answer: /^\x1b\[\?(\d[\d;]*)c$/,
    read: ([, features = ''], facts) => ({
      sixel: features.split(';').slice(1).includes('4'),
      kittyKeys: facts.kittyKeys ?? false,
      synchronized: facts.synchronized ?? false,
    }),
  },
];
// oxlint-enable no-control-regex
const FENCE = QUESTIONS.at(-1);
const WINDOW_PIXELS = QUESTIONS.find((question) => question.ask === '\x1b[14t');

/** Finds out about one terminal. Screens send its questions behind their first frame and hand it the reports. */
export class FactFinder {
  readonly #options: FactFinderOptions;
  readonly #asked: readonly Question[];
  #facts: TerminalFacts;
  #isSent = false;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void)[] = [];

  constructor(options: FactFinderOptions) {
    this.#options = options;
    const hints = environmentHints(options.environment, options.platform);
    this.#asked = QUESTIONS.filter((question) => isSafe(question, hints));
    this.#facts = { ...hints, links: hints.kind === 'full', isComplete: this.#asked.length === 0 };
  }

  /** What is known so far. */
  get facts(): TerminalFacts {
    return this.#facts;
  }

  /** What to send to the terminal; nothing once it was sent. */
  questions(): string {
    if (this.#isSent || this.#facts.isComplete) return '';
    this.#isSent = true;
    this.#timer = setTimeout(() => this.#complete({}), this.#options.timeLimit ?? 1000);
    this.#timer.unref();
    return this.#asked.map((question) => question.ask).join('');
  }

  /** True when the report is an answer to a question; late ones count, too. */
  take(report: string, window?: { readonly columns: number; readonly rows: number }): boolean {
    if (!this.#isSent) return false;
    for (const question of this.#asked) {
      const match = question.answer.exec(report);
      if (!match) continue;
      const known = question === WINDOW_PIXELS ? this.#cellOfWindow(match, window) : question.read(match, this.#facts);
      if (question === FENCE) this.#complete(known);
      else this.#learn(known);
      return true;
    }
    return false;
  }

  /** Waits until no more answers are expected; at most the time limit. That keeps no process alive: the open terminal does. */
  settled(): Promise<void> {
    if (!this.#isSent || this.#facts.isComplete) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #cellOfWindow(match: readonly string[], window?: { columns: number; rows: number }): Partial<TerminalFacts> {
    if (!window || this.#facts.cell) return {};
    const [, height = '', width = ''] = match;
    return optional(
      'cell',
      readCell(Math.floor(Number(width) / window.columns), Math.floor(Number(height) / window.rows)),
    );
  }

  #complete(known: Partial<TerminalFacts>): void {
    clearTimeout(this.#timer);
    this.#learn({ ...known, isComplete: true });
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #learn(known: Partial<TerminalFacts>): void {
    const before = this.#facts;
    this.#facts = { ...before, ...known };
    if (JSON.stringify(before) !== JSON.stringify(this.#facts)) this.#options.onChange?.(this.#facts);
  }
}

function isSafe(question: Question, hints: EnvironmentHints): boolean {
  // A console prints the parts of a question that it does not know.
  if (hints.kind !== 'full') return false;
  // GNU screen takes strings for titles, and passes nothing on.
  if (hints.multiplexer === 'screen') return question === FENCE;
  return !question.spares?.includes(hints.name ?? '');
}

/** `rgb:ffff/0000/8080`, with one to four digits each, or `#ff0080`. */
export function readColour(said: string): Colour | undefined {
  const parts =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(said) ??
    /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(said);
  if (!parts) return undefined;
  const [red = 0, green = 0, blue = 0] = parts
    .slice(1)
    .map((digits) => Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255));
  return { red, green, blue };
}

/** Whether light text can be read on it. */
function isDarkColour({ red, green, blue }: Colour): boolean {
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

/** `WezTerm 20240203`, `kitty(0.35.2)`, `tmux 3.4`. */
function readVersion(said: string, facts: TerminalFacts): Partial<TerminalFacts> {
  const match = /^([\w.-]+?)(?:[ (]+v?([\w.+-]+)\)?)?$/.exec(said.trim());
  const name = match?.[1]?.toLowerCase();
  // That is a library: the program around it says more in its variables.
  if (name === 'xterm.js' && facts.name !== undefined) return {};
  return name === undefined ? {} : { name, ...optional('version', match?.[2]) };
}

/** A cell that no terminal has is none. */
function readCell(width: number, height: number): { width: number; height: number } | undefined {
  return width > 0 && height > 0 && width <= 200 && height <= 400 ? { width, height } : undefined;
}

function optional<K extends keyof TerminalFacts>(key: K, value: TerminalFacts[K] | undefined): Partial<TerminalFacts> {
  return value === undefined ? {} : { [key]: value };
}
