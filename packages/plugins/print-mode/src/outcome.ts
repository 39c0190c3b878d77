/** How a run ended: the answer, or the reasons why there is none. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { TenonError } from '@tenon/kernel';
import type { AssistantMessage } from '@tenon/models/api';
import { errors } from './errors.ts';

interface Refusal {
  readonly tool: string;
  readonly by: string;
  readonly reason: string;
}

/** Watches a run for what decides the exit code. */
export class Outcome {
  readonly #agent: AgentSession;
  readonly #refusals = new Map<string, Refusal>();
  #last: AssistantMessage | undefined;

  constructor(agent: AgentSession) {
    this.#agent = agent;
  }

  /** Takes note of an event. */
  note(event: AgentEvent): void {
    if (event.type === 'turn_end') this.#last = event.message;
    if (event.type !== 'tool_execution_end') return;
    const refusal = refusalIn(event.toolName, event.result.details);
    if (refusal) this.#refusals.set(`${refusal.tool}\n${refusal.by}\n${refusal.reason}`, refusal);
  }

  /** The text of the last answer. */
  text(): string {
    const blocks = this.#last?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
    return blocks.join('\n');
  }

  /** What went wrong; nothing when all is well. */
  problems(): TenonError[] {
    const session = this.#agent.session.id;
    const refused = [...this.#refusals.values()].map((refusal) =>
      errors.create('PRINT_REFUSED', { ...refusal, session }),
    );
    const { stopReason, errorMessage = 'it did not say why', provider, model } = this.#last ?? {};
    if (stopReason === 'aborted') return [...refused, errors.create('PRINT_STOPPED', { session })];
    if (stopReason !== 'error') return refused;
    const details = { model: `${provider}/${model}`, reason: errorMessage, session };
    return [...refused, errors.create('PRINT_MODEL_FAILED', details)];
  }
}

function refusalIn(tool: string, details: unknown): Refusal | undefined {
  const refused = (details as { refused?: { by?: unknown; reason?: unknown } } | undefined)?.refused;
  return refused ? { tool, by: String(refused.by), reason: String(refused.reason) } : undefined;
}
