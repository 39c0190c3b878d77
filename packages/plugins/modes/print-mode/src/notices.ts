/** What a person should know while waiting. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';

type Retry = Extract<AgentEvent, { type: 'auto_retry_start' }>;

/** Puts events into words; nothing for those that need none. */
export class Notices {
  readonly #agent: AgentSession;
  /** The model that took over last in the present turn. */
  #fallback: string | undefined;

  constructor(agent: AgentSession) {
    this.#agent = agent;
  }

  textOf(event: AgentEvent): string | undefined {
    switch (event.type) {
      case 'turn_start':
        this.#fallback = undefined;
        return undefined;
      case 'notice':
        return event.isAnswer === true ? undefined : event.text;
      case 'auto_retry_start':
        return event.fallback === undefined ? retryText(event) : this.#takeover(event.fallback, event.reason);
      case 'loop_suspected':
        return `The agent has called "${event.toolName}" ${event.repeats} times with the same result.`;
      case 'auto_compaction_start':
        return event.reason === 'overflow'
          ? 'The conversation is too long for the model and is being made shorter.'
          : 'The conversation has grown long and is being made shorter.';
      case 'auto_compaction_end':
        return event.errorMessage ?? sizeText(event.tokensBefore, event.tokensAfter);
      case 'session_switch':
        return `The conversation goes on in session ${event.sessionId}; it began in ${event.previousSessionId}.`;
      default:
        return undefined;
    }
  }

  #takeover(fallback: string, reason: string): string {
    const { provider, id } = this.#agent.state.model;
    const before = this.#fallback ?? `${provider}/${id}`;
    this.#fallback = fallback;
    return `${fallback} answers in place of ${before}: ${reason}`;
  }
}

function retryText({ attempt, maxAttempts, delayMs, reason }: Retry): string {
  const when = delayMs === 0 ? '' : ` in ${Math.ceil(delayMs / 1000)} s`;
  return `Asking the model again${when} (attempt ${attempt} of ${maxAttempts}): ${reason}`;
}

function sizeText(before: number | undefined, after: number | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  // One is what the provider counted, the other an estimate; where they do not fit together they say nothing.
  if (after >= before) return 'The conversation was made shorter.';
  return `The conversation was made shorter: about ${after} tokens are left of ${before}.`;
}
