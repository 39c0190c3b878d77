/** The panels above the editor, over the services behind them. A service that is not loaded yet shows nothing. */
import { type LiveAgents, liveAgents } from '@tenon/agent/api';
import { type Approvals, approvals } from '@tenon/approval/api';
import { type Jobs, jobs } from '@tenon/jobs/api';
import { messageOf } from '@tenon/kernel';
import { type Todos, todos } from '@tenon/planning-tools/api';
import type { Component } from '@tenon/screen';
import { heldMark, JobsPanel, planModeMark, PlanPanel, QueuePanel } from './panels/index.ts';
import type { ScreenRun } from './screen-run.ts';
import { waitingElsewhere } from './waiting-elsewhere.ts';

/** How often what subagents do is looked at, while some are at work. */
const AGAIN_MS = 1_000;

/** What is shown above the editor beside the working row. */
export class PanelList {
  readonly #run: ScreenRun;
  readonly #plan: PlanPanel;
  #todos: Todos | undefined;
  #jobs: Jobs | undefined;
  #agents: LiveAgents | undefined;
  #again: NodeJS.Timeout | undefined;
  #approvals: Approvals | undefined;
  #isClosed = false;
  #unwatch: (() => void) | undefined;
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
      new JobsPanel(app, {
        jobs: () => this.#jobs?.list(session()) ?? [],
        subagents: () => (this.#agents ? labelsBelow(this.#agents, session()) : []),
        again: () => this.#drawAgain(),
        ...key('app.jobs'),
      }),
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

  /** Subagents in the background tell the screen nothing by themselves. */
  #drawAgain(): void {
    if (this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#drawUnlessAsked();
    }, AGAIN_MS).unref();
  }

  /** Looks again: a turn has ended, or something was answered. */
  async refresh(): Promise<void> {
    const { ctx, app } = this.#run;
    try {
      this.#todos ??= await ctx.findOptional(todos);
      this.#jobs ??= await ctx.findOptional(jobs);
      this.#agents ??= await ctx.findOptional(liveAgents);
      this.#approvals ??= await ctx.findOptional(approvals);
      if (!this.#isClosed) this.#unwatch ??= this.#approvals?.watchHeld(() => void this.#lookElsewhere());
      this.#waiting = await this.#countElsewhere();
    } catch (fault) {
      // The panels say less then; the services tell about themselves where they are used.
      ctx.log.warn(`the panels are incomplete: ${messageOf(fault)}`);
    }
    app.requestFrame();
  }

  /** Stops looking for what other sessions ask. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch?.();
    clearTimeout(this.#again);
  }

  /** Another session may ask something while nothing happens in this one. */
  async #lookElsewhere(): Promise<void> {
    const before = this.#waiting;
    try {
      this.#waiting = await this.#countElsewhere();
    } catch (fault) {
      // The number stays as it was; the next look tries again.
      this.#run.ctx.log.warn(`the calls of other sessions cannot be read: ${messageOf(fault)}`);
    }
    if (this.#waiting !== before) this.#drawUnlessAsked();
  }

  async #countElsewhere(): Promise<number> {
    if (!this.#approvals) return 0;
    const exceptSession = this.#run.app.seated?.session.id;
    const waiting = await waitingElsewhere({
      approvals: this.#approvals,
      ...(exceptSession !== undefined && { exceptSession }),
    });
    return waiting.length;
  }

  /** Nothing moves while a question is open: the user reads. */
  #drawUnlessAsked(): void {
    if (this.#run.app.dialog === undefined) this.#run.app.requestFrame();
  }
}

/** What people call the subagents that work for a session, and those that work for them. */
function labelsBelow(agents: LiveAgents, session: string): readonly string[] {
  return agents
    .list()
    .flatMap(({ parent, session: own }) =>
      parent?.session === session ? [parent.label, ...labelsBelow(agents, own.id)] : [],
    );
}
