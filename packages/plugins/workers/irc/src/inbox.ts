/** Puts messages into the conversation of their recipient. A busy one gets them between two turns, so that they cut into nothing. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { CustomMessage } from '@tenon/sessions/api';
import { errors } from './errors.ts';

/** The `customType` of messages of other agents. */
export const IRC_MESSAGE = 'irc';

/** How many messages may wait for one agent. */
export const MAX_WAITING = 32;

/** A message for the conversation. */
interface Letter {
  readonly message: CustomMessage;
  /** True when it was answered already: it only has to be known, and must not keep a run going. */
  readonly isAnswered: boolean;
}

interface Waiting {
  readonly letters: Letter[];
  readonly unsubscribe: () => void;
}

/** The inboxes of the agents of this process. */
export class Inbox {
  readonly #waiting = new Map<AgentSession, Waiting>();
  readonly #failed: (fault: unknown) => void;

  constructor(failed: (fault: unknown) => void) {
    this.#failed = failed;
  }

  /** Refuses when too many messages wait. */
  checkRoom(agent: AgentSession): void {
    const waiting = this.#waiting.get(agent)?.letters.length ?? 0;
    if (waiting >= MAX_WAITING || unread(agent) >= MAX_WAITING) throw errors.create('IRC_FULL');
  }

  /** Delivers a message now, or when the agent is ready for it. */
  async put(agent: AgentSession, letter: Letter): Promise<void> {
    this.checkRoom(agent);
    const waiting = this.#waiting.get(agent);
    if (waiting) waiting.letters.push(letter);
    else if (agent.state.isStreaming) this.#hold(agent, letter);
    // An idle agent reads it with its next prompt: agents must not wake each other up for ever.
    else await agent.send(letter.message);
  }

  /** The agent has ended, or has moved to another session: what it was told there is not meant for the new one. */
  forget(agent: AgentSession): void {
    this.#waiting.get(agent)?.unsubscribe();
    this.#waiting.delete(agent);
  }

  close(): void {
    for (const { unsubscribe } of this.#waiting.values()) unsubscribe();
    this.#waiting.clear();
  }

  #hold(agent: AgentSession, letter: Letter): void {
    const unsubscribe = agent.subscribe((event: AgentEvent) => {
      if (event.type === 'turn_end' && event.toolResults.length > 0) this.#betweenTurns(agent);
      else if (event.type === 'agent_end') this.#release(agent);
    });
    this.#waiting.set(agent, { letters: [letter], unsubscribe });
  }

  /** The run goes on anyway: it may as well know what nobody has answered yet. */
  #betweenTurns(agent: AgentSession): void {
    const waiting = this.#waiting.get(agent);
    if (!waiting) return;
    const open = waiting.letters.filter(({ isAnswered }) => !isAnswered);
    const rest = waiting.letters.filter(({ isAnswered }) => isAnswered);
    waiting.letters.splice(0, waiting.letters.length, ...rest);
    if (rest.length === 0) this.forget(agent);
    for (const { message } of open) agent.send(message, { deliverAs: 'steer' }).catch(this.#failed);
  }

  #release(agent: AgentSession): void {
    const letters = this.#waiting.get(agent)?.letters ?? [];
    this.forget(agent);
    const all = async () => {
      // A run that begins meanwhile gets the rest between its turns.
      for (const letter of letters) await this.put(agent, letter);
    };
    all().catch(this.#failed);
  }
}

/** Messages of agents at the end of a conversation, which nothing was said after. */
function unread({ session }: AgentSession): number {
  let count = 0;
  for (const entry of session.walk()) {
    const isOurs = entry.type === 'custom_message' && entry.customType === IRC_MESSAGE;
    if (isOurs) count++;
    else if (entry.type === 'message' || entry.type === 'custom_message') break;
    if (count >= MAX_WAITING) break;
  }
  return count;
}
