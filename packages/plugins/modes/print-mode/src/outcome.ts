/** How a run ended: the answer, what was refused on the way, or the reasons why there is no answer. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { HeldApproval } from '@tenon/approval/api';
import type { TenonError } from '@tenon/kernel';
import type { AssistantMessage } from '@tenon/models/api';
import { counted } from '@tenon/wording';
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

/** What else is known about the run. */
interface Surroundings {
  readonly isPersistent: boolean;
  /** Whether somebody stopped it. */
  readonly isStopped: boolean;
  /** How many prompts wait for this one. */
  readonly left: number;
  /** The limit that ended it. */
  readonly reached: TenonError | undefined;
}

/** Watches a run for what decides the exit code. */
export class Outcome {
  readonly #agent: AgentSession;
  readonly #refusals = new Map<string, Refusal>();
  #last: AssistantMessage | undefined;
  /** What a slash command said that did all the work. */
  #said: string | undefined;

  constructor(agent: AgentSession) {
    this.#agent = agent;
  }

  /** Takes note of an event. */
  note(event: AgentEvent): void {
    if (event.type === 'turn_end') [this.#last, this.#said] = [event.message, undefined];
    if (event.type === 'notice' && event.isAnswer === true) this.#said = event.text;
    if (event.type !== 'tool_execution_end') return;
    const refusal = refusalIn(event.toolName, event.result.details);
    if (refusal) this.#refusals.set(`${refusal.tool}\n${refusal.by}\n${refusal.reason}`, refusal);
  }

  /** The text of the last answer. */
  text(): string {
    if (this.#said !== undefined) return this.#said;
    const blocks = this.#last?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
    return blocks.join('\n');
  }

  /** Whether a call was refused. */
  get hasRefusals(): boolean {
    return this.#refusals.size > 0;
  }

  /** Whether the model has failed, or was stopped, or knows that it has not done what was asked. */
  get hasFailed(): boolean {
    const { stopReason, notDone } = this.#last ?? {};
    return stopReason === 'error' || stopReason === 'aborted' || stopReason === 'length' || notDone !== undefined;
  }

  /** What went wrong. A call that waits for a person is unfinished work; one that was refused for good is not. */
  report(held: readonly HeldApproval[], { isPersistent, isStopped, left, reached }: Surroundings): Report {
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
    const answer = isPersistent
      ? `\`tenon --resume ${session} -p "…"\``
      : 'run the command again with the answer in it';
    // Stopped while a tool ran, the last answer is whole and the work is not.
    const isCut = isStopped && this.#last?.stopReason !== 'stop';
    const stopped = isCut ? errors.create('PRINT_STOPPED', { again }) : undefined;
    const ending = reached ?? stopped ?? (this.#last && this.#problemOf(this.#last, again, answer));
    if (ending) problems.push(ending);
    if (problems.length > 0 && left > 0) {
      const verb = left === 1 ? 'was' : 'were';
      problems.push(errors.create('PRINT_QUEUE_LEFT', { left: `${counted(left, 'prompt')} ${verb}` }));
    }
    return { problems, refusals };
  }

  /** Why the last answer is none, or not a whole one. */
  #problemOf(last: AssistantMessage, again: string, answer: string): TenonError | undefined {
    const { stopReason, errorMessage: reason = 'it did not say why', errorNext } = last;
    const model = `${last.provider}/${last.model}`;
    const advice = errorNext ?? 'Choose another model with --model.';
    if (stopReason === 'aborted') return errors.create('PRINT_STOPPED', { again });
    if (stopReason === 'error') return errors.create('PRINT_MODEL_FAILED', { model, reason, advice, again });
    if (stopReason === 'length') return errors.create('PRINT_CUT_OFF', { model, again });
    if (last.notDone === 'needs-model') return errors.create('PRINT_NEEDS_MODEL', { model });
    if (last.notDone === 'question') return errors.create('PRINT_QUESTION', { model, answer });
    if (last.notDone === 'failed') return errors.create('PRINT_NOT_DONE', { model, again });
    return this.text().trim() === '' ? errors.create('PRINT_EMPTY', { model, again }) : undefined;
  }
}

function refusalIn(tool: string, details: unknown): Refusal | undefined {
  const refused = (details as { refused?: { by?: unknown; reason?: unknown; hasRun?: unknown } } | undefined)?.refused;
  if (!refused) return undefined;
  return { tool, by: String(refused.by), reason: String(refused.reason), hasRun: refused.hasRun === true };
}
