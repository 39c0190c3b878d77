import type { AgentMessage } from '@tenon/sessions/api';
import type { AgentSession, AgentState, InterruptMode, SendOptions, WaitingMessage } from './api.ts';
import type { AgentSettings } from './generated/settings.ts';
import type { LoopQueues } from './loop-config.ts';
import { MessageQueue } from './message-queue.ts';
import type { StopQuestion } from './stop-question.ts';

/** What is said to an agent while it works or before its next prompt. */
export class AgentQueues implements LoopQueues {
  readonly #steering: MessageQueue<AgentMessage>;
  readonly #followUps: MessageQueue<AgentMessage>;
  readonly #stopQuestion: StopQuestion;
  #nextTurn: AgentMessage[] = [];
  #interruptMode: InterruptMode;

  constructor({ steeringMode, followUpMode, interruptMode }: AgentSettings, stopQuestion: StopQuestion) {
    this.#steering = new MessageQueue(steeringMode);
    this.#followUps = new MessageQueue(followUpMode);
    this.#interruptMode = interruptMode;
    this.#stopQuestion = stopQuestion;
  }

  get state(): Pick<AgentState, 'steeringMode' | 'followUpMode' | 'interruptMode' | 'queuedMessages'> {
    return {
      steeringMode: this.#steering.mode,
      followUpMode: this.#followUps.mode,
      interruptMode: this.#interruptMode,
      queuedMessages: this.#steering.size + this.#followUps.size + this.#nextTurn.length,
    };
  }

  setModes({ steering, followUp, interrupt }: Parameters<AgentSession['setQueueModes']>[0]): void {
    this.#steering.mode = steering ?? this.#steering.mode;
    this.#followUps.mode = followUp ?? this.#followUps.mode;
    this.#interruptMode = interrupt ?? this.#interruptMode;
  }

  /** Adds a message. One that is still on its way through a hook keeps its place. */
  add(
    message: AgentMessage | Promise<AgentMessage | undefined>,
    when: Exclude<SendOptions['deliverAs'], 'nextTurn' | undefined>,
    typed?: Omit<WaitingMessage, 'deliverAs'>,
  ): void {
    (when === 'steer' ? this.#steering : this.#followUps).add(message, typed && { ...typed, deliverAs: when });
  }

  /** What the user said while the agent worked, and nobody has taken yet. */
  waiting(): readonly WaitingMessage[] {
    return [...this.#steering.typed(), ...this.#followUps.typed()];
  }

  /** Takes the last of those out again. */
  takeBack(): WaitingMessage | undefined {
    return this.#followUps.takeBack() ?? this.#steering.takeBack();
  }

  /** Keeps a message for the next prompt. */
  addForNextTurn(message: AgentMessage): void {
    this.#nextTurn.push(message);
  }

  /** What goes before a prompt. */
  takeForPrompt(): readonly AgentMessage[] {
    return this.#nextTurn.splice(0);
  }

  steering(): Promise<readonly AgentMessage[]> {
    return this.#steering.take();
  }

  cutsIn(): boolean {
    return this.#interruptMode === 'immediate' && this.#steering.size > 0;
  }

  async followUps(): Promise<readonly AgentMessage[]> {
    const waiting = await this.#followUps.take();
    return waiting.length > 0 ? waiting : this.#stopQuestion.ask();
  }

  /** What was queued after the loop had looked for the last time. */
  async late(): Promise<readonly AgentMessage[]> {
    return [...(await this.#steering.take()), ...(await this.#followUps.take())];
  }

  clear(): void {
    this.#steering.clear();
    this.#followUps.clear();
    this.#nextTurn = [];
  }
}
