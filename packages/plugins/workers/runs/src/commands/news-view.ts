/** Shows what a run does as lines for people. */
import { plainLine, plainText } from '@tenon/wording';
import type { RunEventBody, RunNews } from '../run.ts';
import { questionLine } from './describe.ts';
import { SignalFilter } from './signal-filter.ts';

/** How much of a tool's input a line shows. */
const MAX_INPUT = 100;

const BEGINNING: ReadonlySet<string> = new Set(['queued', 'starting', 'running']);

/** Turns news into text. Pieces of one answer are joined; everything else is a line. */
export class NewsView {
  readonly #isVerbose: boolean;
  readonly #filter = new SignalFilter();
  #isInText = false;
  #answer = '';
  #error: string | undefined;

  constructor(options: { readonly verbose?: boolean } = {}) {
    this.#isVerbose = options.verbose ?? false;
  }

  /** The last whole text that the worker has said. */
  get answer(): string {
    return this.#answer.trim();
  }

  /** The last error that was shown. */
  get error(): string | undefined {
    return this.#error;
  }

  /** What to print for one piece of news; empty when there is nothing to show. */
  show(news: RunNews): string {
    if (news.type === 'output') {
      const { stream, text } = news.output;
      // What the worker wrote is shown as what it means; only programs without events, and validation, speak for themselves.
      return stream === 'validation' ? this.#line(plainText(text).replace(/\n$/, '')) : '';
    }
    return this.#event(news.event.what);
  }

  #event(what: RunEventBody): string {
    switch (what.type) {
      case 'state':
        // That a run begins is no news for somebody who waits for it.
        if (BEGINNING.has(what.state) && what.message === undefined && !this.#isVerbose) return '';
        // Why is said once: by the error that came before, or here.
        if (what.message === undefined || what.message === this.#error) return this.#line(`[${what.state}]`);
        if (what.state === 'failed') this.#error = what.message;
        return this.#line(`[${what.state}] ${plainLine(what.message)}`);
      case 'notice':
        return this.#line(plainLine(what.message));
      case 'account-switched':
        return this.#line(`Account ${what.from ?? 'of the CLI'} → ${what.to}: ${plainLine(what.reason)}`);
      case 'validation':
        return this.#line(`Validation: ${what.state}`);
      case 'questions':
        return this.#line(what.questions.map(questionLine).join('\n'));
      case 'worker':
        return this.#worker(what.event);
    }
  }

  #worker(event: Extract<RunEventBody, { type: 'worker' }>['event']): string {
    switch (event.type) {
      case 'text':
        this.#answer = event.delta === true && this.#isInText ? this.#answer + event.text : event.text;
        return this.#text(event.text, event.delta === true);
      case 'thinking':
        return this.#isVerbose ? this.#text(event.text, event.delta === true) : '';
      case 'tool-start':
        return this.#line(`• ${plainLine(event.name)} ${inputText(event.input)}`.trimEnd());
      case 'tool-end':
        return event.isError
          ? this.#line(`  failed: ${plainLine((event.output ?? '').trim()).slice(0, MAX_INPUT)}`)
          : '';
      case 'retry':
        return this.#line(`Trying again: ${plainLine(event.message)}`);
      case 'warning':
        return this.#isVerbose ? this.#line(plainLine(event.message)) : '';
      case 'error':
        this.#error = event.message;
        return this.#line(`Error (${event.fault}): ${plainLine(event.message)}`);
      default:
        return '';
    }
  }

  #text(text: string, isDelta: boolean): string {
    const shown = plainText(this.#filter.push(text) + (isDelta ? '' : this.#filter.end()));
    if (!isDelta) return this.#line(shown.trimEnd());
    if (shown !== '') this.#isInText = !shown.endsWith('\n');
    return shown;
  }

  /** A line of its own: ends a text that was going on. */
  #line(text: string): string {
    const rest = plainText(this.#filter.end());
    const begin = rest + (this.#isInText || rest !== '' ? '\n' : '');
    this.#isInText = false;
    return text === '' ? begin : `${begin}${text}\n`;
  }
}

function inputText(input: unknown): string {
  if (input === undefined || input === null) return '';
  if (typeof input === 'string') return plainLine(input).slice(0, MAX_INPUT);
  const fields = typeof input === 'object' ? Object.values(input as Record<string, unknown>) : [input];
  const first = fields.find((value) => typeof value === 'string') ?? fields[0];
  const text = typeof first === 'string' ? first : JSON.stringify(first ?? '');
  return plainLine(text).slice(0, MAX_INPUT);
}
