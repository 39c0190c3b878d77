/** How a run ended: the answer, what was refused on the way, or the reasons why there is no answer. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { HeldApproval } from '@tenon/approval/api';
import type { TenonError } from '@tenon/kernel';
import type { AssistantMessage } from '@tenon/models/api';
import { errors } from './errors.ts';

interface Refusal {
  readonly tool: string;
  readonly by: string;
  readonly reason: string;
  /** True when it ran all the same, with less than it wanted. */
  readonly hasRun: boolean;
}

/** What is told at the end. */
export interface Report {
  /** What makes the run a failure; nothing when all is well. */
  readonly problems: readonly TenonError[];
  /** What the user should know though the run is none: a rule or a hook refused something, and the model coped. */
  readonly refusals: readonly TenonError[];
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

  /** Whether a call was refused. */
  get hasRefusals(): boolean {
    return this.#refusals.size > 0;
  }

  /** What went wrong. A call that waits for a person is unfinished work; one that was refused for good is not. */
  report(held: readonly HeldApproval[], isPersistent: boolean): Report {
    const { id: session } = this.#agent.session;
    const again = isPersistent ? `go on with \`tenon --resume ${session} -p "go on"\`` : 'run the command again';
    const open = held.filter((approval) => approval.session === session && approval.state !== 'denied');
    const problems: TenonError[] = [];
    const refusals: TenonError[] = [];
    for (const refusal of this.#refusals.values()) {
      const waits = open.find(({ id }) => refusal.reason.includes(id));
      if (waits) {
        const { id, tool, tier, reasons, text: call } = waits;
        // The narrowest way that helps, where the sandbox stops it.
        const way = waits.ways?.includes('network') ? ' --network' : waits.ways ? ' --outside' : '';
        // A command that has run in its sandbox, and failed there, is not unfinished: the model has seen how it ended.
        const list = refusal.hasRun ? refusals : problems;
        list.push(errors.create('PRINT_WAITS', { id, tool, tier, reasons: reasons.join('; '), call, way, again }));
      } else refusals.push(errors.create('PRINT_REFUSED', { ...refusal, again }));
    }
    const ending = this.#last && this.#problemOf(this.#last, again);
    return { problems: ending ? [...problems, ending] : problems, refusals };
  }

  /** Why the last answer is none, or not a whole one. */
  #problemOf(last: AssistantMessage, again: string): TenonError | undefined {
    const { stopReason, errorMessage: reason = 'it did not say why', errorNext } = last;
    const model = `${last.provider}/${last.model}`;
    const advice = errorNext ?? 'Choose another model with --model.';
    if (stopReason === 'aborted') return errors.create('PRINT_STOPPED', { again });
    if (stopReason === 'error') return errors.create('PRINT_MODEL_FAILED', { model, reason, advice, again });
    if (stopReason === 'length') return errors.create('PRINT_CUT_OFF', { model, again });
    return this.text().trim() === '' ? errors.create('PRINT_EMPTY', { model, again }) : undefined;
  }
}

function refusalIn(tool: string, details: unknown): Refusal | undefined {
  const refused = (details as { refused?: { by?: unknown; reason?: unknown; hasRun?: unknown } } | undefined)?.refused;
  if (!refused) return undefined;
  return { tool, by: String(refused.by), reason: String(refused.reason), hasRun: refused.hasRun === true };
}
