/** Facts of the status line that are not the agent's: they are looked up between frames and never waited for. */
import { gitBranch } from '@tenon/host';
import type { KernelAccess } from '@tenon/kernel';
import { messageOf, type Logger } from '@tenon/kernel';
import { type PlanMode, planMode } from '@tenon/planning-tools/api';
import { sandboxes } from '@tenon/sandbox/api';
import type { StatusFacts } from './items.ts';

/** Knows the branch, the sandbox's profile, and whether the session plans. */
export class StatusWatch implements StatusFacts {
  readonly #ctx: Pick<KernelAccess, 'findOptional'> & { readonly log: Logger };
  #branch: string | undefined;
  #profile: string | undefined;
  #plans: PlanMode | undefined;
  #session = '';

  constructor(ctx: Pick<KernelAccess, 'findOptional'> & { readonly log: Logger }) {
    this.#ctx = ctx;
  }

  branch = (): string | undefined => this.#branch;
  sandbox = (): string | undefined => this.#profile;
  isPlanning = (): boolean => this.#plans?.isOn(this.#session) ?? false;

  /** Looks again: a turn has ended, or another session is there. */
  async refresh(cwd: string, session: string): Promise<void> {
    this.#session = session;
    this.#branch = gitBranch(cwd);
    try {
      this.#plans ??= await this.#ctx.findOptional(planMode);
      this.#profile = await (await this.#ctx.findOptional(sandboxes))?.profileFor({ cwd });
    } catch (fault) {
      // The row says less then; what is wrong shows where it matters, when a command starts.
      this.#ctx.log.warn(`the status line is incomplete: ${messageOf(fault)}`);
    }
  }
}
