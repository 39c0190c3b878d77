/** The agents of this process: who they are, which rooms they are in, and how they answer. */
import type { AgentSession, LiveAgents } from '@tenon/agent/api';
import { messageOf } from '@tenon/kernel';
import type { CustomMessage } from '@tenon/sessions/api';
import type { IrcPeer } from './api.ts';
import { type Envelope, MAX_REPLY_CHARS, messageText, nameText, type Receipt } from './envelope.ts';
import { errors } from './errors.ts';
import { Inbox, IRC_MESSAGE } from './inbox.ts';
import { prompts } from './prompts/index.ts';
import type { Waits } from './waits.ts';

/** How many questions may wait for the answer of one agent. */
const MAX_QUESTIONS = 8;

/** What the room needs. */
export interface RoomHost {
  agents(): Promise<LiveAgents | undefined>;
  readonly waits: Waits;
  readonly replySeconds: number;
  failed(fault: unknown): void;
}

/** The agents of this process. */
export class LocalRoom {
  readonly #host: RoomHost;
  readonly #inbox: Inbox;
  readonly #rooms = new WeakMap<AgentSession, Set<string>>();
  /** The questions that wait for each agent: it answers one at a time. */
  readonly #questions = new WeakMap<AgentSession, { count: number; last: Promise<unknown> }>();

  constructor(host: RoomHost) {
    this.#host = host;
    this.#inbox = new Inbox((fault) => host.failed(fault));
  }

  /** Everybody here but one. */
  async peers(except?: string): Promise<readonly IrcPeer[]> {
    const agents = (await this.#host.agents())?.list() ?? [];
    return agents.filter(({ session }) => session.id !== except).map((agent) => this.#peer(agent));
  }

  /** What somebody here is called. */
  async nameOf(id: string): Promise<string> {
    const agent = (await this.#host.agents())?.get(id);
    return agent ? nameOf(agent) : 'by hand';
  }

  /** Enters or leaves a room; gives the rooms that the agent is in now. */
  async setRoom(id: string, room: string, isIn: boolean): Promise<readonly string[]> {
    const agent = await this.#agent(id);
    const rooms = this.#rooms.get(agent) ?? new Set<string>();
    this.#rooms.set(agent, rooms);
    if (isIn) rooms.add(room);
    else rooms.delete(room);
    return [...rooms];
  }

  /** Gives a message to an agent, and its answer to the sender if one is wanted. */
  async deliver(envelope: Envelope, signal: AbortSignal): Promise<Receipt> {
    const agent = await this.#agent(envelope.to);
    this.#inbox.checkRoom(agent);
    if (!envelope.awaitReply) {
      await this.#inbox.put(agent, { message: incoming(envelope), isAnswered: false });
      return {};
    }
    const wait = this.#host.waits.begin(envelope.from.id, envelope.to);
    try {
      const reply = await this.#answer(agent, envelope, wait.isCrossed, signal);
      await this.#inbox.put(agent, { message: incoming(envelope, reply), isAnswered: true });
      return { reply, ...(wait.isCrossed && { crossed: true }) };
    } catch (fault) {
      // It may still read what it could not answer.
      if (!signal.aborted)
        await this.#inbox
          .put(agent, { message: incoming(envelope), isAnswered: false })
          .catch((other: unknown) => this.#host.failed(other));
      throw fault;
    } finally {
      wait.end();
    }
  }

  forget(agent: AgentSession): void {
    this.#inbox.forget(agent);
    this.#rooms.delete(agent);
  }

  close(): void {
    this.#inbox.close();
  }

  /** An answer from beside the agent's work: it has no tools, so that it can wait for nobody. */
  async #answer(agent: AgentSession, { from, text }: Envelope, crossed: boolean, signal: AbortSignal): Promise<string> {
    const queue = this.#questions.get(agent) ?? { count: 0, last: Promise.resolve() };
    if (queue.count >= MAX_QUESTIONS) throw errors.create('IRC_FULL');
    queue.count++;
    this.#questions.set(agent, queue);
    const seconds = this.#host.replySeconds;
    const limit = AbortSignal.timeout(seconds * 1000);
    const both = AbortSignal.any([signal, limit]);
    const question = prompts.incoming({
      name: nameText(from.name),
      id: from.id,
      isElsewhere: from.pid !== undefined,
      text,
      crossed,
    });
    const asked = queue.last.then(() => {
      both.throwIfAborted();
      return agent.aside(question, { signal: both });
    });
    queue.last = asked.catch(() => undefined); // told to whoever asked
    try {
      return messageText(await untilAborted(asked, both), MAX_REPLY_CHARS);
    } catch (fault) {
      if (limit.aborted && !signal.aborted) throw errors.create('IRC_NO_REPLY', { seconds });
      throw fault;
    } finally {
      queue.count--;
    }
  }

  async #agent(id: string): Promise<AgentSession> {
    const agent = (await this.#host.agents())?.get(id);
    if (!agent) throw errors.create('IRC_GONE');
    return agent;
  }

  #peer(agent: AgentSession): IrcPeer {
    return {
      id: agent.session.id,
      name: nameOf(agent),
      status: agent.state.isStreaming ? 'running' : 'idle',
      cwd: agent.cwd,
      rooms: [...(this.#rooms.get(agent) ?? [])],
    };
  }
}

function nameOf({ parent, session }: AgentSession): string {
  return nameText(parent?.label ?? session.header.title ?? 'main');
}

/** The promise, or the abort if that comes first: a question that waits behind others must not wait for them. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error(messageOf(signal.reason)));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A message as the recipient's conversation keeps it. */
function incoming({ from, text }: Envelope, reply?: string): CustomMessage {
  const name = nameText(from.name);
  return {
    role: 'custom',
    customType: IRC_MESSAGE,
    content: prompts.received({ name, id: from.id, isElsewhere: from.pid !== undefined, text, reply: reply ?? '' }),
    display: true,
    attribution: 'agent',
    details: { from: { ...from, name }, text, ...(reply !== undefined && { reply }) },
    timestamp: Date.now(),
  };
}
