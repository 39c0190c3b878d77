/** Announces open questions, takes answers, and says what became of them. */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { Block, IncomingAnswer, Received } from '../channel.ts';
import { blocksOf, code as codeBlock, prose } from '../message/blocks.ts';
import type { OpenQuestion } from '../question.ts';
import type { AskedQuestion, OutboxEntry } from '../state/state.ts';
import { cutFor, outboxEntry } from './outbox.ts';
import type { DispatchParts, OpenChannel } from './parts.ts';

/** Without letters and digits that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 5;
const MAX_LABEL = 40;
const MAX_SHOWN = 200;
const TOO_LONG = 'It is too long to be shown here: look at it where it was asked, or in the control room.';
/** Room below a question for what becomes of it. */
const SPARE = 400;

/** What became of an answer, and what whoever gave it is told. */
export interface AnswerResult {
  readonly received: Received;
  readonly text: string;
}

/** The questions of all sources. */
export class Questions {
  readonly #parts: DispatchParts;
  /** When a question was first seen; it is announced only when it is still open after a while. */
  readonly #firstSeen = new Map<string, number>();
  readonly #answering = new Set<string>();
  readonly #failing = new Set<string>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** Compares what is open with what was announced. */
  async look(now = Date.now()): Promise<void> {
    const open = new Map<string, OpenQuestion>();
    const unheard = new Set<string>();
    for (const [name, source] of this.#parts.sources) {
      try {
        for (const question of await source.open()) open.set(`${name} ${question.id}`, question);
        this.#failing.delete(name);
      } catch (fault) {
        // The others are announced all the same; the next look may succeed.
        unheard.add(name);
        if (!this.#failing.has(name))
          this.#parts.log.warn(`questions of "${name}" cannot be read: ${messageOf(fault)}`);
        this.#failing.add(name);
      }
    }
    const known = new Set<string>();
    for (const asked of Object.values(this.#parts.state.now.questions)) {
      const key = `${asked.source} ${asked.id}`;
      known.add(key);
      const isGone = asked.settled === undefined && !open.has(key) && !unheard.has(asked.source);
      if (isGone && !this.#answering.has(asked.code))
        await this.#settle(asked, 'Answered elsewhere, or no longer open.');
    }
    for (const key of this.#firstSeen.keys()) if (!open.has(key) || known.has(key)) this.#firstSeen.delete(key);
    for (const [key, question] of open) {
      if (known.has(key)) continue;
      const first = this.#firstSeen.get(key) ?? now;
      this.#firstSeen.set(key, first);
      if (now - first >= this.#parts.delayMs) await this.#announce(key.slice(0, key.indexOf(' ')), question);
    }
  }

  /** The question that a message belongs to. */
  ofMessage(channel: string, message: string): AskedQuestion | undefined {
    return Object.values(this.#parts.state.now.questions).find(({ announced }) =>
      announced[channel]?.messages.includes(message),
    );
  }

  /** A text that names a question, as `code: answer`; undefined when it names none. */
  named(text: string): { readonly code: string; readonly text: string } | undefined {
    const [, code = '', answer = ''] = /^\s*[`!]?(q[a-z0-9]{5})`?\s*[:,]?\s+(\S[\s\S]*)$/i.exec(text) ?? [];
    return this.#parts.state.now.questions[code.toLowerCase()]
      ? { code: code.toLowerCase(), text: answer.trim() }
      : undefined;
  }

  /** Takes an answer. Only those whom the user's settings list may give one, and the first one counts. */
  async answer(channel: string, incoming: IncomingAnswer): Promise<AnswerResult> {
    const { code, user } = incoming;
    const asked = Object.hasOwn(this.#parts.state.now.questions, code)
      ? this.#parts.state.now.questions[code]
      : undefined;
    const announced = asked?.announced[channel];
    const open = this.#parts.channels.get(channel);
    if (!this.#mayAnswer(open, incoming))
      return { received: 'refused', text: 'You are not listed as somebody who may answer.' };
    if (!asked || !announced) return { received: 'gone', text: 'There is no such question here.' };
    if (asked.settled !== undefined)
      return { received: 'gone', text: `You were too late. ${asked.outcome ?? ''}`.trim() };
    if (this.#answering.has(code)) return { received: 'gone', text: 'Somebody else is answering just now.' };
    const takesText = asked.takesText && announced.isBlind !== true;
    const value = valueOf(incoming, announced.options, takesText);
    if (value === undefined) return { received: 'refused', text: `Answer with one of: ${listed(announced.options)}.` };
    this.#answering.add(code);
    try {
      const source = this.#parts.sources.get(asked.source);
      const who = user ?? 'somebody';
      const outcome = (await source?.answer(asked.id, value, `${who} (${channel})`)) ?? 'gone';
      const shown = plainLine(this.#parts.mask(value)).slice(0, MAX_SHOWN);
      if (outcome === 'taken') {
        await this.#settle(asked, `Answered by ${plainLine(who).slice(0, MAX_LABEL)} through ${channel}: ${shown}`);
        return { received: 'taken', text: `Taken: ${shown}` };
      }
      await this.#settle(asked, 'Answered elsewhere, or no longer open.');
      return { received: 'gone', text: 'You were too late: it was answered elsewhere, or is no longer open.' };
    } catch (fault) {
      this.#parts.log.warn(`an answer could not be given: ${messageOf(fault)}`);
      return { received: 'refused', text: `It could not be answered: ${this.#parts.mask(messageOf(fault))}` };
    } finally {
      this.#answering.delete(code);
    }
  }

  #mayAnswer(open: OpenChannel | undefined, { code, user, secret = '' }: IncomingAnswer): boolean {
    if (!open) return false;
    if (user !== undefined) return (open.settings.users ?? []).includes(user);
    const [given, wanted] = [Buffer.from(secret), Buffer.from(this.#parts.proofOf(code))];
    return wanted.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  async #announce(source: string, question: OpenQuestion): Promise<void> {
    const { state, channels } = this.#parts;
    const asked: AskedQuestion = {
      code: this.#newCode(),
      source,
      id: question.id,
      title: plainLine(this.#parts.mask(question.title)).slice(0, MAX_SHOWN),
      options: question.options ?? [],
      takesText: question.takesText,
      ...(question.run !== undefined && { run: question.run }),
      since: new Date().toISOString(),
      announced: {},
    };
    const wanted = [...channels.values()].filter(({ settings }) => settings.sources?.includes(source) ?? true);
    const entries = wanted.map((open) => this.#entry(open, asked, question));
    await state.change((now) => {
      now.questions[asked.code] = asked;
      now.outbox.push(...entries);
    });
    this.#parts.wake();
  }

  /** The question as one channel shows it. */
  #entry(open: OpenChannel, asked: AskedQuestion, question: OpenQuestion): OutboxEntry {
    const { conversations } = this.#parts.state.now;
    const own = Object.values(conversations).find(
      ({ run, channel, thread }) =>
        run !== undefined && run === question.run && channel === open.name && thread !== undefined,
    );
    const text = [...blocksOf(question.text), ...(question.code === undefined ? [] : [codeBlock(question.code)])];
    const options = canAnswer(open) ? asked.options : [];
    const shown = (offered: readonly string[], about: readonly Block[], takesText: boolean) => [
      prose(asked.title),
      ...about,
      ...this.#footer(open, { ...asked, takesText }, offered),
    ];
    const whole = shown(options, text, asked.takesText);
    const spare = open.channel.edit ? SPARE : 0;
    const isWhole = !canAnswer(open) || !cutFor(this.#parts, open.name, whole, spare).isCut;
    // Nobody says yes here to what they cannot see.
    const { blindOptions } = question;
    const isBlind = !isWhole && blindOptions !== undefined;
    const offered = isBlind ? options.filter((option) => blindOptions.includes(option)) : options;
    return outboxEntry(this.#parts, {
      channel: open.name,
      what: 'question',
      question: asked.code,
      title: asked.title,
      blocks: isWhole ? whole : shown(offered, [prose(TOO_LONG)], asked.takesText && !isBlind),
      options: offered,
      ...(isBlind && { isBlind: true as const }),
      spare,
      ...(own && { conversation: own.key }),
    });
  }

  #footer(open: OpenChannel, asked: AskedQuestion, options: readonly string[]) {
    if (!canAnswer(open)) return [];
    const hasButtons = options.length > 0 && options.length <= open.channel.maxChoices;
    const isLong = options.some((option) => option.length > MAX_LABEL);
    const list = options.length > 0 && (!hasButtons || isLong) ? [prose(listed(options, '\n'))] : [];
    if (!open.channel.takesText) return list;
    const what = asked.takesText ? 'your answer' : hasButtons || options.length === 0 ? '' : '1';
    return what === '' ? list : [...list, prose(`Reply to this message, or write "${asked.code}: ${what}".`)];
  }

  async #settle(asked: AskedQuestion, outcome: string): Promise<void> {
    const { state } = this.#parts;
    await state.change((now) => {
      asked.settled = new Date().toISOString();
      asked.outcome = outcome;
      const waiting = now.outbox.filter(({ what, question }) => what === 'question' && question === asked.code);
      const places = new Set([...Object.keys(asked.announced), ...waiting.map(({ channel }) => channel)]);
      for (const channel of places)
        if (this.#parts.channels.has(channel))
          now.outbox.push(
            outboxEntry(this.#parts, { channel, what: 'settle', question: asked.code, blocks: [prose(outcome)] }),
          );
    });
    this.#parts.wake();
  }

  #newCode(): string {
    for (;;) {
      const code = `q${Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)] ?? 'a').join('')}`;
      if (this.#parts.state.now.questions[code] === undefined) return code;
    }
  }
}

/** Whether answers come from there at all: nobody is listed, or the channel only tells. */
function canAnswer({ channel, settings }: OpenChannel): boolean {
  if (channel.maxChoices === 0 && !channel.takesText) return false;
  return channel.takesText ? (settings.users ?? []).length > 0 : true;
}

/** What an answer means: an option by its number or its words, or words where the question takes them. */
function valueOf({ choice, text }: IncomingAnswer, options: readonly string[], takesText: boolean): string | undefined {
  if (choice !== undefined) return options[choice];
  const words = text?.trim() ?? '';
  if (words === '') return undefined;
  const exact = options.find((option) => option.toLowerCase() === words.toLowerCase());
  if (exact !== undefined) return exact;
  if (/^\d{1,3}$/.test(words) && options.length > 0) {
    const numbered = options[Number(words) - 1];
    if (numbered !== undefined) return numbered;
  }
  return takesText ? words : undefined;
}

function listed(options: readonly string[], separator = ', '): string {
  return options.map((option, index) => `${index + 1}. ${plainLine(option).slice(0, MAX_SHOWN)}`).join(separator);
}
