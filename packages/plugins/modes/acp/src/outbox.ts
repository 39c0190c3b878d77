/** Updates on their way to the editor, in order. What a slow editor has not taken yet is joined where that loses nothing. */
import type { ContentChunk, SessionNotification, SessionUpdate } from '@agentclientprotocol/sdk';

type Send = (notification: SessionNotification) => Promise<void>;

const CHUNKS: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk']);

/** Sends updates one after the other. */
export class Outbox {
  readonly #send: Send;
  #queue: SessionNotification[] = [];
  #isSending = false;
  #isClosed = false;
  /** Told when nothing is left in line. */
  #waiting: (() => void)[] = [];

  constructor(send: Send) {
    this.#send = send;
  }

  /** Puts an update in line. */
  put(sessionId: string, update: SessionUpdate): void {
    if (this.#isClosed) return;
    const last = this.#queue.at(-1);
    const joined = last?.sessionId === sessionId ? join(last.update, update) : undefined;
    if (joined) this.#queue[this.#queue.length - 1] = { sessionId, update: joined };
    else this.#queue.push({ sessionId, update });
    if (!this.#isSending) void this.#run();
  }

  /** Resolves when everything that was put in line is written, or nobody reads any more. */
  async flushed(): Promise<void> {
    if (this.#isSending && !this.#isClosed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Nobody reads any more. What is being written may never be taken, so nobody waits for it. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#tell();
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #run(): Promise<void> {
    this.#isSending = true;
    // A moment's wait, so that what is said in one breath can be joined.
    await Promise.resolve();
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        await this.#send(next);
      }
    } catch {
      // The connection is gone; its end is noticed where the input is read.
      this.close();
    } finally {
      this.#isSending = false;
      this.#tell();
    }
  }
}

/** Two neighbouring updates as one, where that loses nothing. */
export function join(before: SessionUpdate, after: SessionUpdate): SessionUpdate | undefined {
  if (before.sessionUpdate !== after.sessionUpdate) return undefined;
  if (CHUNKS.has(before.sessionUpdate)) return joinChunks(before as Chunk, after as Chunk);
  if (before.sessionUpdate !== 'tool_call_update' || after.sessionUpdate !== 'tool_call_update') return undefined;
  // Content of a later update takes the place of the earlier one, field by field.
  return before.toolCallId === after.toolCallId ? { ...before, ...after } : undefined;
}

type Chunk = ContentChunk & { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' };

function joinChunks(before: Chunk, after: Chunk): SessionUpdate | undefined {
  const [old, fresh] = [before.content, after.content];
  if (old.type !== 'text' || fresh.type !== 'text' || before.messageId !== after.messageId) return undefined;
  return { ...after, content: { type: 'text', text: old.text + fresh.text } };
}
