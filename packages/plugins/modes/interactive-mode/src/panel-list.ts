/** The panels above the editor, over the services behind them. A service that is not loaded yet shows nothing. */
import { type Approvals, approvals } from '@tenon/approval/api';
import { type Jobs, jobs } from '@tenon/jobs/api';
import { messageOf } from '@tenon/kernel';
import { type Todos, todos } from '@tenon/planning-tools/api';
import type { Component } from '@tenon/screen';
import { heldMark, JobsPanel, planModeMark, PlanPanel, QueuePanel } from './panels/index.ts';
import type { ScreenRun } from './screen-run.ts';
import { waitingElsewhere } from './waiting-elsewhere.ts';

/** What is shown above the editor beside the working row. */
export class PanelList {
  readonly #run: ScreenRun;
  readonly #plan: PlanPanel;
  #todos: Todos | undefined;
  #jobs: Jobs | undefined;
  #approvals: Approvals | undefined;
  #waiting = 0;
  readonly components: readonly Component[];

  constructor(run: ScreenRun) {
    this.#run = run;
    const { app, parts } = run;
    const session = () => app.seated?.session.id ?? '';
    const key = (action: string) => ({ key: () => app.keysOf(action)[0] });
    this.#plan = new PlanPanel(app, { phases: () => this.#todos?.phases(session()) ?? [], ...key('app.plan') });
    this.components = [
      heldMark(app, { waiting: () => this.#waiting, ...key('app.held') }),
      new JobsPanel(app, { jobs: () => this.#jobs?.list(session()) ?? [], ...key('app.jobs') }),
      this.#plan,
      planModeMark(app, { isOn: () => parts.watch.isPlanning(), ...key('app.planMode') }),
      new QueuePanel(app, { messages: () => app.seated?.waiting() ?? [], ...key('app.editQueued') }),
    ];
  }

  /** Shows all of the plan, or its current step. */
  togglePlan(): void {
    this.#plan.isOpen = !this.#plan.isOpen;
    this.#run.app.requestFrame();
  }

  /** Looks again: a turn has ended, or something was answered. */
  async refresh(): Promise<void> {
    const { ctx, app } = this.#run;
    try {
      this.#todos ??= await ctx.findOptional(todos);
      this.#jobs ??= await ctx.findOptional(jobs);
      this.#approvals ??= await ctx.findOptional(approvals);
      const exceptSession = app.seated?.session.id;
      this.#waiting = this.#approvals
        ? (
            await waitingElsewhere({
              approvals: this.#approvals,
              ...(exceptSession !== undefined && { exceptSession }),
            })
          ).length
        : 0;
    } catch (fault) {
      // The panels say less then; the services tell about themselves where they are used.
      ctx.log.warn(`the panels are incomplete: ${messageOf(fault)}`);
    }
    app.requestFrame();
  }
}
