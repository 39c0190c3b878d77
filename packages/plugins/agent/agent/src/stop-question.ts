import { agentStop } from './api.ts';
import { messageText } from './convert.ts';
import type { AgentParts } from './host.ts';
import type { AgentMessage } from '@tenon/sessions/api';

/** The `customType` of what a plugin tells an agent that would stop. */
const GO_ON = 'continue';

/** Asks plugins whether the agent may stop. They cannot keep it going for ever. */
export class StopQuestion {
  readonly #parts: AgentParts;
  #continues = 0;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** A new run begins. */
  reset(): void {
    this.#continues = 0;
  }

  /** What the agent is to go on with; nothing when it may stop. An answer that failed or was stopped is the end anyway. */
  async ask(): Promise<AgentMessage[]> {
    const { host, conversation, emit } = this.#parts;
    const last = conversation.messages.findLast(({ role }) => role === 'assistant');
    if (last?.role !== 'assistant' || last.stopReason === 'error' || last.stopReason === 'aborted') return [];
    const limit = host.config.stopLimit;
    const answer = await host.run(agentStop, {
      ...conversation.place,
      text: messageText(last),
      continues: this.#continues,
    });
    const instruction = answer?.continue?.trim() ?? '';
    if (instruction === '') return [];
    if (this.#continues >= limit) {
      const who = answer?.by === undefined ? 'A plugin' : `Plugin "${answer.by}"`;
      const text = `${who} wants the agent to go on, but it was made to go on ${limit} times already: ${instruction}`;
      emit({ type: 'notice', level: 'warning', text });
      return [];
    }
    this.#continues++;
    const base = {
      role: 'custom' as const,
      customType: GO_ON,
      content: instruction,
      display: true,
      timestamp: Date.now(),
    };
    return [{ ...base, attribution: 'agent' }];
  }
}
