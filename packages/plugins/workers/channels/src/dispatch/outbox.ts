/** Sends what waits, one message after the other in each channel. What has gone out is written down before the next one goes. */
import { randomBytes } from 'node:crypto';
import { messageOf } from '@tenon/kernel';
import type { Block, Outgoing } from '../channel.ts';
import { rest, waitAfter } from '../http/backoff.ts';
import { ChannelFault } from '../http/fault.ts';
import { prose } from '../message/blocks.ts';
import { chunksOf } from '../message/chunks.ts';
import type { ChannelsState, OutboxEntry } from '../state/state.ts';
import { trim } from '../state/trim.ts';
import type { DispatchParts, NewEntry, OpenChannel } from './parts.ts';

/** How often a message is tried whose failure nobody understands. */
const MAX_ODD_FAILURES = 5;
const MAX_MESSAGES = 10;

/** The messages that blocks become in a channel, without secrets, and whether something had to be left out. */
export function cutFor(
  parts: Pick<DispatchParts, 'mask' | 'channels'>,
  name: string,
  blocks: readonly Block[],
  spare = 0,
): { readonly chunks: readonly (readonly Block[])[]; readonly isCut: boolean } {
  const channel = parts.channels.get(name)?.channel;
  if (!channel) return { chunks: [], isCut: true };
  const masked = blocks.map(({ kind, text }) => ({ kind, text: parts.mask(text) }));
  const measure = { limit: channel.limit - spare, size: (some: readonly Block[]) => channel.size(some) };
  const all = chunksOf(masked, measure).filter((chunk) => chunk.some(({ text }) => text.trim() !== ''));
  const most = channel.maxMessages ?? MAX_MESSAGES;
  if (all.length <= most) return { chunks: all, isCut: false };
  const rest = [prose('… The rest is too long to be shown here.')];
  return { chunks: most === 1 ? all.slice(0, 1) : [...all.slice(0, most - 1), rest], isCut: true };
}

/** An entry for the outbox: cut to the size of its channel. */
export function outboxEntry(
  parts: Pick<DispatchParts, 'mask' | 'channels'>,
  { blocks, spare, ...entry }: NewEntry,
): OutboxEntry {
  const { chunks } = cutFor(parts, entry.channel, blocks, spare);
  return { ...entry, id: randomBytes(8).toString('hex'), chunks, sent: 0 };
}

/** The sender of one channel. */
export class Sender {
  readonly #parts: DispatchParts;
  readonly #open: OpenChannel;
  #wake = () => {};
  #isWoken = false;

  constructor(parts: DispatchParts, open: OpenChannel) {
    this.#parts = parts;
    this.#open = open;
  }

  /** Something waits. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** Sends until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      this.#isWoken = false;
      const entry = this.#next();
      if (entry === undefined) {
        if (!this.#isWoken) await new Promise<void>((resolve) => void (this.#wake = resolve));
        continue;
      }
      try {
        await this.#deliver(entry, signal);
        failures = 0;
      } catch (fault) {
        if (signal.aborted) return;
        failures += 1;
        if (await this.#failed(entry, fault, failures)) failures = 0;
        else await rest(waitAfter(failures, fault), signal);
      }
    }
  }

  #next(): OutboxEntry | undefined {
    return this.#parts.state.now.outbox.find(({ channel }) => channel === this.#open.name);
  }

  /** Notes a failure; gives whether the message is given up. */
  async #failed(entry: OutboxEntry, fault: unknown, failures: number): Promise<boolean> {
    const { name } = this.#open;
    const text = this.#parts.mask(messageOf(fault));
    const isFinal = fault instanceof ChannelFault ? fault.kind === 'never' : failures >= MAX_ODD_FAILURES;
    const isBarred = fault instanceof ChannelFault && fault.kind === 'access';
    if (failures === 1 || isFinal)
      this.#parts.log.warn(`channel "${name}": ${text}${isFinal ? '; the message is dropped' : '; it is tried again'}`);
    await this.#parts.state.change((state) => {
      state.faults[name] = { at: new Date().toISOString(), text };
      if (isFinal) remove(state, entry);
      // A thread that is closed for us must not hold the others up.
      else if (isBarred && entry.conversation !== undefined)
        state.outbox = [...state.outbox.filter(({ id }) => id !== entry.id), entry];
    });
    return isFinal;
  }

  async #deliver(entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    // Another change may have woken the sender: what is not on disk yet would be made, and sent, anew after a crash.
    await this.#parts.state.stored();
    if (entry.what === 'settle') return this.#settle(entry, signal);
    const { state } = this.#parts;
    const question = entry.question === undefined ? undefined : state.now.questions[entry.question];
    const isOver = entry.what === 'question' && question?.settled !== undefined && entry.sent === 0;
    const blocks = entry.chunks[entry.sent];
    if (isOver || blocks === undefined) return state.change((now) => remove(now, entry));
    const conversation = entry.conversation === undefined ? undefined : state.now.conversations[entry.conversation];
    const isLast = entry.sent === entry.chunks.length - 1;
    const choices =
      isLast && question !== undefined && question.settled === undefined && (entry.options ?? []).length > 0
        ? { code: question.code, secret: this.#parts.proofOf(question.code), labels: this.#labels(entry) }
        : undefined;
    const message: Outgoing = {
      key: `${entry.id}-${entry.sent}`,
      what: entry.what,
      ...(entry.question !== undefined && { question: entry.question }),
      blocks,
      ...(entry.title !== undefined && { title: entry.title }),
      ...(conversation?.thread !== undefined && { thread: conversation.thread }),
      ...(choices && { choices }),
    };
    const id = await this.#open.channel.send(message, signal);
    await state.change((now) => {
      entry.sent += 1;
      if (entry.sent >= entry.chunks.length) remove(now, entry);
      conversation?.messages.push(id);
      if (entry.what === 'question' && question) {
        const before = question.announced[entry.channel]?.messages ?? [];
        question.announced[entry.channel] = {
          messages: [...before, id],
          last: blocks,
          options: entry.options ?? [],
          ...(entry.isBlind && { isBlind: true }),
          ...(conversation?.thread !== undefined && { thread: conversation.thread }),
        };
      }
      delete now.faults[entry.channel];
      trim(now);
    });
  }

  #labels({ options = [] }: OutboxEntry): string[] {
    const { maxChoices } = this.#open.channel;
    return options.length > maxChoices ? [] : options.map((option) => this.#parts.mask(option));
  }

  /** Says below a question what became of it. */
  async #settle(entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    const { state } = this.#parts;
    const question = entry.question === undefined ? undefined : state.now.questions[entry.question];
    const announced = question?.announced[entry.channel];
    const id = announced?.messages.at(-1);
    const outcome = entry.chunks[0] ?? [];
    if (announced && id !== undefined) {
      const { channel } = this.#open;
      const place = announced.thread !== undefined && { thread: announced.thread };
      const message: Outgoing = {
        key: `${entry.id}-0`,
        what: 'settle',
        ...(entry.question !== undefined && { question: entry.question }),
        blocks: [...announced.last, ...outcome],
        isQuiet: true,
        ...place,
      };
      if (channel.edit) await channel.edit(id, message, signal);
      else {
        const title = question?.title ?? '';
        await channel.send({ ...message, title, blocks: [prose(title), ...outcome] }, signal);
      }
    }
    await state.change((now) => remove(now, entry));
  }
}

function remove(state: ChannelsState, entry: OutboxEntry): void {
  state.outbox = state.outbox.filter(({ id }) => id !== entry.id);
}
