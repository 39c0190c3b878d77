/** How far a run may go: so many turns of the model, so much money. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { TenonError } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import { counted } from '@tenon/wording';
import { errors } from './errors.ts';

/** The limits that the flags give. */
export interface LimitFlags {
  readonly turns?: number;
  readonly usd?: number;
}

/** Reads the flags. */
export function limitFlags(flags: ModeCall['flags']): LimitFlags {
  const turns = numberFlag(flags, 'max-turns', /^[1-9]\d*$/, 'a whole number from 1 on');
  const usd = numberFlag(flags, 'max-budget-usd', /^(?=.*[1-9])\d*\.?\d+$/, 'a number of US dollars, such as 0.50');
  return { ...(turns !== undefined && { turns }), ...(usd !== undefined && { usd }) };
}

function numberFlag(flags: ModeCall['flags'], flag: string, form: RegExp, wanted: string): number | undefined {
  const value = flags[flag];
  if (typeof value !== 'string') return undefined;
  if (!form.test(value)) throw errors.create('PRINT_LIMIT_VALUE', { flag, value, wanted });
  return Number(value);
}

/** Counts, and stops the agent when a limit is reached while it wants to go on. */
export class Limits {
  readonly #agent: AgentSession;
  readonly #limits: LimitFlags;
  /** A session that goes on has cost something before. */
  readonly #spentBefore: number;
  #turns = 0;
  #reached: TenonError | undefined;

  constructor(agent: AgentSession, limits: LimitFlags) {
    this.#agent = agent;
    this.#limits = limits;
    this.#spentBefore = agent.usage().cost.total;
    const { model } = agent.state;
    // A budget that cannot be counted would be no limit at all.
    if (limits.usd !== undefined && !model.price)
      throw errors.create('PRINT_NO_PRICE', { model: `${model.provider}/${model.id}` });
  }

  /** How many answers the model has given. */
  get turns(): number {
    return this.#turns;
  }

  /** What the run has cost in US dollars. */
  get spent(): number {
    return this.#agent.usage().cost.total - this.#spentBefore;
  }

  /** The limit that was reached, if one was. */
  get reached(): TenonError | undefined {
    return this.#reached;
  }

  /** Takes note of an event. */
  note(event: AgentEvent): void {
    // Subagents spend while their call runs.
    if (event.type === 'tool_execution_update' && this.#isOverBudget() && this.check()) void this.#agent.abort();
    if (event.type !== 'turn_end') return;
    this.#turns++;
    const goesOn = event.toolResults.length > 0;
    if (goesOn && this.check()) void this.#agent.abort();
  }

  #isOverBudget(): boolean {
    const { usd } = this.#limits;
    return usd !== undefined && this.spent >= usd;
  }

  /** Whether no further turn may begin. */
  check(): boolean {
    const { turns, usd } = this.#limits;
    const { id, file } = this.#agent.session;
    const again = file === undefined ? 'run the command again' : `go on with \`tenon --resume ${id} -p "go on"\``;
    if (turns !== undefined && this.#turns >= turns)
      this.#reached ??= errors.create('PRINT_MAX_TURNS', { turns: counted(turns, 'turn'), again });
    else if (usd !== undefined && this.#isOverBudget())
      this.#reached ??= errors.create('PRINT_MAX_BUDGET', { limit: usd, spent: this.spent.toFixed(4), again });
    return this.#reached !== undefined;
  }
}
