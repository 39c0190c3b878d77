/** Puts the parts together: looks at questions and threads, sends, receives. */
import { messageOf } from '@tenon/kernel';
import type { Incoming, IncomingAnswer, IncomingMessage, Received } from '../channel.ts';
import { rest, waitAfter } from '../http/backoff.ts';
import { prose } from '../message/blocks.ts';
import { Conversations } from './conversations.ts';
import { outboxEntry, Sender } from './outbox.ts';
import type { DispatchParts, OpenChannel } from './parts.ts';
import { Questions } from './questions.ts';

const LOOK_MS = 1_000;

/** Serves open channels until it is told to end. */
export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #questions: Questions;
  readonly #conversations: Conversations;
  readonly #senders = new Map<string, Sender>();
  readonly #lookMs: number;

  constructor(parts: Omit<DispatchParts, 'wake'>, lookMs = LOOK_MS) {
    this.#parts = { ...parts, wake: () => this.#senders.forEach((sender) => sender.wake()) };
    this.#questions = new Questions(this.#parts);
    this.#conversations = new Conversations(this.#parts);
    this.#lookMs = lookMs;
    for (const [name, open] of parts.channels) this.#senders.set(name, new Sender(this.#parts, open));
  }

  /** Serves. */
  async run(outer: AbortSignal): Promise<void> {
    await this.#dropOrphans();
    // When one part fails, all end, and the fault is told.
    const ending = new AbortController();
    const signal = AbortSignal.any([outer, ending.signal]);
    const parts = [
      this.#look(signal),
      ...[...this.#senders.values()].map((sender) => sender.run(signal)),
      ...this.#listeners().map((open) => this.#listen(open, signal)),
    ];
    const guarded = parts.map((part) =>
      part.catch((fault: unknown) => {
        ending.abort();
        throw fault;
      }),
    );
    const results = await Promise.allSettled(guarded);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed && !outer.aborted) throw failed.reason;
  }

  /** What waits for a channel that is no longer there. */
  async #dropOrphans(): Promise<void> {
    const { state, channels, log } = this.#parts;
    const lost = state.now.outbox.filter(({ channel }) => !channels.has(channel));
    if (lost.length === 0) return;
    log.warn(`${lost.length} waiting messages are dropped: their channels are no longer set up`);
    await state.change((now) => void (now.outbox = now.outbox.filter(({ channel }) => channels.has(channel))));
  }

  async #look(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#questions.look();
        await this.#conversations.look(signal);
        failures = 0;
      } catch (fault) {
        // The disk may be full, or the store of runs locked: the next look may succeed.
        if (failures++ === 0) this.#parts.log.warn(`channels: ${messageOf(fault)}`);
      }
      await rest(this.#lookMs * Math.min(2 ** failures, 60), signal);
    }
  }

  /** Those that listen: one of each kind where the service tells each event to one listener only. */
  #listeners(): OpenChannel[] {
    const all = [...this.#parts.channels.values()];
    return all.filter(
      (open, index) => !open.channel.sharesListener || all.findIndex((one) => isKin(one, open)) === index,
    );
  }

  /** The channel that something is for; undefined when it is for none. */
  #target(listener: OpenChannel, incoming: Incoming): OpenChannel | undefined {
    if (incoming.type === 'answer' && !this.#isFrom(listener, incoming)) return undefined;
    if (!listener.channel.sharesListener || incoming.type === 'archived') return listener;
    return [...this.#parts.channels.values()].find((one) => isKin(one, listener) && one.settings.to === incoming.place);
  }

  /** Whether an answer was given in a channel or a thread of it: where a service tells each listener everything, the others leave it alone. */
  #isFrom({ name, channel, settings }: OpenChannel, { place }: IncomingAnswer): boolean {
    if (channel.sharesListener || place === undefined || place === settings.to) return true;
    return this.#conversations.find(name, { place }) !== undefined;
  }

  async #listen(open: OpenChannel, signal: AbortSignal): Promise<void> {
    const { channel, name } = open;
    if (!channel.listen) return;
    let failures = 0;
    while (!signal.aborted) {
      const began = Date.now();
      try {
        await channel.listen((incoming) => this.#receive(open, incoming), signal);
      } catch (fault) {
        if (signal.aborted) return;
        // A connection that held for a while was a good one.
        failures = Date.now() - began > 60_000 ? 1 : failures + 1;
        const text = this.#parts.mask(messageOf(fault));
        if (failures === 1) this.#parts.log.warn(`channel "${name}": ${text}; it connects again`);
        await this.#parts.state.change((state) => void (state.faults[name] = { at: new Date().toISOString(), text }));
        await rest(waitAfter(failures, fault), signal);
      }
    }
  }

  async #receive(listener: OpenChannel, incoming: Incoming): Promise<Received> {
    const open = this.#target(listener, incoming);
    if (!open) return 'ignored';
    if (incoming.type === 'archived') {
      await this.#conversations.archived(open.name, incoming.thread);
      return 'taken';
    }
    if (incoming.type === 'message') return this.#message(open, incoming);
    const { received, text } = await this.#questions.answer(open.name, incoming);
    await incoming.tell?.(text).catch((fault: unknown) => {
      // The answer counts all the same, and the question's message says so.
      this.#parts.log.warn(`channel "${open.name}": ${this.#parts.mask(messageOf(fault))}`);
    });
    return received;
  }

  async #message(open: OpenChannel, message: IncomingMessage): Promise<Received> {
    const { name, settings } = open;
    const { state } = this.#parts;
    if (!(settings.users ?? []).includes(message.user)) return 'ignored';
    if (state.now.seen[name]?.includes(message.id)) return 'ignored';
    const isHere = message.place === settings.to;
    const thread = this.#conversations.find(name, message);
    if (!isHere && !thread) return 'ignored';
    const seen = (now: typeof state.now) => void (now.seen[name] ??= []).push(message.id);
    const named = this.#questions.named(message.text);
    const replied = message.replyTo === undefined ? undefined : this.#questions.ofMessage(name, message.replyTo);
    // In a thread, a reply to a question that is over goes on with the thread.
    const isMeant = replied && (replied.settled === undefined || !thread);
    const code = named?.code ?? (isMeant ? replied.code : undefined);
    if (code !== undefined) {
      const text = named?.text ?? message.text;
      const result = await this.#questions.answer(name, { type: 'answer', code, user: message.user, text });
      await state.change((now) => {
        seen(now);
        // The question's own message says when it went well.
        if (result.received !== 'taken')
          now.outbox.push(
            outboxEntry(this.#parts, {
              channel: name,
              what: 'text',
              blocks: [prose(`${code}: ${result.text}`)],
              ...(thread && { conversation: thread.key }),
            }),
          );
      });
      this.#parts.wake();
      return result.received;
    }
    if (settings.threads === undefined) return 'ignored';
    await this.#conversations.take(open, message, seen);
    return 'taken';
  }
}

/** Whether two channels use the same bot of the same service. */
function isKin({ settings: a }: OpenChannel, { settings: b }: OpenChannel): boolean {
  return a.kind === b.kind && a.server === b.server;
}
