/** Threads and their runs: a message begins a run or goes on with it, one at a time, in the order in which they came. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { ENDED_STATES, type Run, type Runs } from '@tenon/runs/api';
import { counted, plainLine } from '@tenon/wording';
import type { Block, IncomingMessage } from '../channel.ts';
import { ChannelFault } from '../http/fault.ts';
import { blocksOf, prose } from '../message/blocks.ts';
import type { Conversation } from '../state/state.ts';
import { outboxEntry } from './outbox.ts';
import type { DispatchParts, OpenChannel } from './parts.ts';

const MAX_QUEUE = 50;
const MAX_TITLE = 80;
/** A thread whose run is done is watched for so long: the run may go on from elsewhere. */
const AWAKE_MS = 60 * 60_000;
const HELP = 'Write on, or `!retry`, `!stop` or `!archive`.';

/** All threads. */
export class Conversations {
  readonly #parts: DispatchParts;
  /** Failures to start that are worth another try, by thread: when. */
  readonly #later = new Map<string, { failures: number; at: number }>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** The thread that a message belongs to. */
  find(
    channel: string,
    { thread, replyTo, place }: Pick<IncomingMessage, 'thread' | 'replyTo' | 'place'>,
  ): Conversation | undefined {
    return Object.values(this.#parts.state.now.conversations).find((one) => {
      if (one.channel !== channel) return false;
      if (one.thread !== undefined && (one.thread === thread || one.thread === place)) return true;
      return replyTo !== undefined && (one.messages.includes(replyTo) || one.first === replyTo);
    });
  }

  /** Takes a message. It is written down together with the fact that it was taken. */
  async take(
    open: OpenChannel,
    message: IncomingMessage,
    seen: (state: DispatchParts['state']['now']) => void,
  ): Promise<void> {
    const known = this.find(open.name, message);
    const word = /^\s*!(retry|stop|cancel|archive)\s*$/i.exec(message.text)?.[1]?.toLowerCase();
    if (known && word !== undefined) {
      await this.#parts.state.change(seen);
      return this.#command(known, word);
    }
    // One whose run could not be begun tries again with the next message.
    const hasFailed = known?.state === 'errored' && known.run !== undefined;
    if (known && (hasFailed || known.queue.length >= MAX_QUEUE)) {
      await this.#parts.state.change(seen);
      const why = hasFailed ? 'Its run has failed, so this was not passed on.' : 'Too many messages wait already.';
      return this.#say(known, [prose(`${why} ${HELP}`)]);
    }
    await this.#parts.state.change((state) => {
      seen(state);
      const one = known ?? newConversation(open.name, message);
      state.conversations[one.key] = one;
      one.queue.push({ id: message.id, text: message.text });
      // A message opens a thread again that was closed.
      one.state = 'active';
      one.changed = new Date().toISOString();
    });
  }

  /** The service has closed a thread. */
  async archived(channel: string, thread: string): Promise<void> {
    const one = Object.values(this.#parts.state.now.conversations).find(
      (each) => each.channel === channel && each.thread === thread,
    );
    if (one && one.state === 'active' && one.queue.length === 0)
      await this.#change(one, () => void (one.state = 'archived'));
  }

  /** Goes on with every thread that can. */
  async look(signal: AbortSignal): Promise<void> {
    const all = Object.values(this.#parts.state.now.conversations);
    const busy = all.filter((one) => one.state === 'active' && this.#parts.channels.has(one.channel) && !isAsleep(one));
    if (busy.length === 0) return;
    const runs = await this.#parts.runs();
    // One look for all of them; it also starts a keeper when runs are active and none is there.
    const byId = new Map((await runs.list()).map((run) => [run.id, run]));
    for (const one of busy) {
      if (signal.aborted) return;
      try {
        await this.#goOn(one, runs, byId, signal);
      } catch (fault) {
        if (signal.aborted) return;
        await this.#failed(one, fault);
      }
    }
  }

  async #goOn(one: Conversation, runs: Runs, byId: ReadonlyMap<string, Run>, signal: AbortSignal): Promise<void> {
    const open = this.#parts.channels.get(one.channel);
    if (!open || (this.#later.get(one.key)?.at ?? 0) > Date.now()) return;
    if (one.run === undefined) return this.#begin(one, open, runs, signal);
    const run = byId.get(one.run);
    if (run === undefined) return this.#break(one, 'Its run is no longer there.');
    const isIdle = run.state === 'waiting' || ENDED_STATES.includes(run.state);
    await this.#confirm(one, run, isIdle);
    if (!isIdle) return;
    // What the run asks is shown by the questions; messages follow its answer.
    if (run.state === 'waiting' && (await runs.details(run)).questions.some(({ answer }) => answer === undefined))
      return;
    const told = `${run.session}:${run.attempt}:${run.state}`;
    if (one.told !== told) await this.#tell(one, run, told);
    if (run.state === 'failed' || run.state === 'cancelled') return;
    const [next] = one.queue;
    if (next === undefined) return;
    await this.#change(one, () => void (one.sending = { id: next.id, session: run.session }));
    await runs.send(run, next.text);
    await this.#change(one, () => this.#sent(one));
  }

  /** A message that was being handed over when this process was killed: the run shows whether it got it. */
  async #confirm(one: Conversation, run: Run, isIdle: boolean): Promise<void> {
    if (one.sending === undefined) return;
    const hasArrived = !isIdle || run.session > one.sending.session;
    await this.#change(one, () => {
      if (hasArrived) this.#sent(one);
      else delete one.sending;
    });
  }

  #sent(one: Conversation): void {
    one.queue = one.queue.filter(({ id }) => id !== one.sending?.id);
    delete one.sending;
  }

  async #begin(one: Conversation, open: OpenChannel, runs: Runs, signal: AbortSignal): Promise<void> {
    const [first] = one.queue;
    const { threads } = open.settings;
    if (first === undefined || threads === undefined) return;
    if (one.thread === undefined) {
      const title = plainLine(this.#parts.mask(first.text)).slice(0, MAX_TITLE) || 'Run';
      const thread = (await open.channel.openThread?.(one.first, title, signal)) ?? one.first;
      await this.#change(one, () => void (one.thread = thread));
    }
    const { cwd, worker, model, worktree } = threads;
    const run = await runs.start({
      task: first.text,
      cwd: cwd.startsWith('~/') ? join(this.#parts.home, cwd.slice(2)) : cwd,
      // Begun twice, it is one run: this process may be killed before it has written down that it began it.
      key: `c${createHash('sha256').update(`${one.key} ${first.id}`).digest('hex').slice(0, 24)}`,
      ...(worker !== undefined && { worker }),
      ...(model !== undefined && { model }),
      worktree: worktree === 'always' ? true : worktree === 'never' ? false : 'auto',
    });
    await this.#change(one, () => {
      one.run = run.id;
      one.queue = one.queue.filter(({ id }) => id !== first.id);
    });
    this.#later.delete(one.key);
    await this.#say(one, [prose(`${run.alias} is at work (${run.worker}).`)]);
  }

  async #tell(one: Conversation, run: Run, told: string): Promise<void> {
    const { state, result, error, alias, validation } = run;
    const blocks: Block[] = [];
    // A run that stays open for messages waits when it is done.
    const isDone = state === 'done' || state === 'waiting';
    if (isDone) blocks.push(...(result?.text.trim() ? blocksOf(result.text) : [prose(`${alias} is done.`)]));
    if (isDone && validation?.state === 'failed') blocks.push(prose(`Validation: ${validation.state}.`));
    if (state === 'failed') blocks.push(prose(`${alias} has failed: ${error?.message ?? 'it did not say why'}`));
    if (state === 'cancelled') blocks.push(prose(`${alias} was stopped.`));
    if (isDone) return this.#say(one, blocks, () => void (one.told = told));
    const left = one.queue.length;
    const notice =
      left === 0 ? '' : `${counted(left, 'message')} that waited ${left === 1 ? 'is' : 'are'} not passed on. `;
    blocks.push(prose(`${notice}${HELP}`));
    return this.#say(one, blocks, () => {
      one.told = told;
      one.queue = [];
      delete one.sending;
      one.state = 'errored';
    });
  }

  async #command(one: Conversation, word: string): Promise<void> {
    try {
      if (word === 'archive') {
        await this.#say(one, [prose('Closed. A message opens it again.')], () => void (one.state = 'archived'));
        return;
      }
      const runs = await this.#parts.runs();
      if (one.run === undefined) return await this.#say(one, [prose('It has no run yet.')]);
      const run = await runs.find(one.run);
      if (word === 'retry') {
        await runs.retry(run);
        await this.#say(one, [prose(`${run.alias} tries again.`)], () => void (one.state = 'active'));
      } else await runs.cancel(run);
    } catch (fault) {
      await this.#say(one, [prose(messageOf(fault))]);
    }
  }

  /** What cannot be reached is tried again later; everything else ends the thread until somebody says `!retry`. */
  async #failed(one: Conversation, fault: unknown): Promise<void> {
    this.#parts.log.warn(`a thread of "${one.channel}" cannot go on: ${this.#parts.mask(messageOf(fault))}`);
    if (fault instanceof ChannelFault && fault.kind !== 'never') {
      const failures = (this.#later.get(one.key)?.failures ?? 0) + 1;
      const wait = fault.retryAfterMs ?? Math.min(1000 * 2 ** Math.min(failures, 8), 300_000);
      this.#later.set(one.key, { failures, at: Date.now() + wait });
      return;
    }
    await this.#break(one, messageOf(fault));
  }

  async #break(one: Conversation, reason: string): Promise<void> {
    await this.#say(one, [prose(reason)], () => {
      one.state = 'errored';
      one.queue = [];
      delete one.sending;
    });
  }

  #change(one: Conversation, change: () => void): Promise<void> {
    return this.#parts.state.change(() => {
      change();
      one.changed = new Date().toISOString();
    });
  }

  /** Says something in a thread, together with a change: both are written down, or neither. */
  async #say(one: Conversation, blocks: readonly Block[], change: () => void = () => undefined): Promise<void> {
    if (!this.#parts.channels.has(one.channel)) return this.#change(one, change);
    await this.#parts.state.change((state) => {
      change();
      one.changed = new Date().toISOString();
      state.outbox.push(
        outboxEntry(this.#parts, { channel: one.channel, what: 'text', blocks, conversation: one.key }),
      );
    });
    this.#parts.wake();
  }
}

/** Nothing is expected there until somebody writes. */
function isAsleep({ queue, told, changed }: Conversation): boolean {
  return queue.length === 0 && told?.endsWith(':done') === true && Date.now() - Date.parse(changed) > AWAKE_MS;
}

function newConversation(channel: string, { id, thread }: IncomingMessage): Conversation {
  return {
    key: `${channel}:${thread ?? id}`,
    channel,
    first: id,
    ...(thread !== undefined && { thread }),
    state: 'active',
    queue: [],
    messages: [],
    changed: new Date().toISOString(),
  };
}
