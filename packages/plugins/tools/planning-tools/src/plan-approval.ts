/** What happens to a plan that is ready: the user sees it, and approves, changes or refuses it. */
import type { AgentSession } from '@tenon/agent/api';
import type { UserInterface } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { textResult, type ToolResult } from '@tenon/tools/api';
import { plainLine, plainText } from '@tenon/wording';
import type { PlanApproval } from './api.ts';
import { errors } from './errors.ts';
import type { PlanningHost } from './host.ts';
import type { PlanFiles } from './plan-file.ts';
import { planTodos } from './plan-todos.ts';
import { prompts } from './prompts/index.ts';
import { planText } from './todo-plan.ts';

const HERE = 'Approve and begin';
const FRESH = 'Approve and begin in a new session, with the plan alone';
const CHANGE = 'Say what to change';
const EDIT = 'Edit the plan';
const REFUSE = 'Refuse; go on planning';

type DeskHost = Pick<PlanningHost, 'agents' | 'store' | 'log' | 'userInterface'>;

/** What the desk works with. */
export interface DeskParts {
  readonly files: PlanFiles;
  /** Begins or ends planning. */
  setPlanning(session: string, isOn: boolean): Promise<void>;
}

/** Takes plans from agents to the user and back. */
export class PlanDesk {
  readonly #host: DeskHost;
  readonly #parts: DeskParts;
  readonly #files: PlanFiles;

  constructor(host: DeskHost, parts: DeskParts) {
    this.#host = host;
    this.#parts = parts;
    this.#files = parts.files;
  }

  /** Ends planning and makes tasks of the plan; gives what the agent is told. In a new session the agent knows nothing but the plan. */
  async approve(id: string, approval: PlanApproval = {}): Promise<string> {
    const plan = await this.#files.read({ session: id, cwd: this.#agent(id).cwd });
    return this.#approve(id, plan, approval);
  }

  /** The plan that the user has seen is what counts, whatever the file says by now. */
  async #approve(id: string, plan: string | undefined, { notes = '', fresh = false }: PlanApproval): Promise<string> {
    const agent = this.#agent(id);
    if (fresh && plan === undefined) throw errors.create('PLANNING_TOOLS_NO_PLAN');
    await this.#parts.setPlanning(id, false);
    if (!fresh) {
      const tasks = plan === undefined ? '' : await this.#setTasks(id, plan);
      return prompts.planApproved({ notes, tasks });
    }
    const { session } = agent;
    const { cancelled } = await agent.newSession({ parentSession: session.file ?? session.id });
    if (cancelled) {
      await this.#parts.setPlanning(id, true);
      throw errors.create('PLANNING_TOOLS_CALLED_OFF');
    }
    const here = { session: agent.session.id, cwd: agent.cwd };
    await this.#files.write(here, plan ?? '');
    const tasks = await this.#setTasks(here.session, plan ?? '');
    return prompts.planCarryOut({ plan: (plan ?? '').trim(), notes, tasks });
  }

  /** Shows a plan to the user and gives what the agent is told about the answer. */
  async submit(id: string, title: string, signal: AbortSignal): Promise<ToolResult> {
    const agent = this.#agent(id);
    const scope = { session: id, cwd: agent.cwd };
    const ui = await this.#host.userInterface();
    for (;;) {
      const plan = await this.#files.read(scope);
      if (plan === undefined) throw errors.create('PLANNING_TOOLS_NO_PLAN');
      const details = { title, plan };
      if (!ui.canAsk()) return textResult(prompts.planNobody({ title }), { ...details, decision: 'waits' });
      // All of it belongs to the question: screens let people scroll in that, and cut other texts that are too long.
      const question = `Plan: ${plainLine(title)}\n\n${plainText(plan).trim()}`;
      const answer = await ui.select(question, [HERE, FRESH, CHANGE, EDIT, REFUSE], { signal });
      signal.throwIfAborted();
      if (answer === EDIT) {
        await this.#edit(ui, scope, plan, signal);
        continue;
      }
      return this.#decided(agent, answer, { ui, signal, details });
    }
  }

  async #decided(
    agent: AgentSession,
    answer: string | undefined,
    { ui, signal, details }: { ui: UserInterface; signal: AbortSignal; details: { title: string; plan: string } },
  ): Promise<ToolResult> {
    const { id } = agent.session;
    if (answer === HERE) {
      const text = await this.#approve(id, details.plan, {});
      return textResult(`${text}\n\nThe plan:\n\n${details.plan.trim()}`, { ...details, decision: 'approved' });
    }
    if (answer === FRESH) {
      this.#beginAnew(agent, id, details.plan);
      const text = 'The user approved the plan. It is carried out in a new session; nothing is left to do in this one.';
      return textResult(text, { ...details, decision: 'approved-fresh' });
    }
    if (answer === CHANGE) {
      const wish = await ui.editor('What should be different?', '', { signal });
      signal.throwIfAborted();
      const words = wish?.trim() ?? '';
      if (words !== '')
        return textResult(prompts.planChange({ wish: words }), { ...details, decision: 'change', wish: words });
    }
    if (answer === REFUSE) return textResult(prompts.planRefused(), { ...details, decision: 'refused' });
    // Whoever closes the question wants to say something first.
    void agent.abort();
    const text = 'The user closed the question about the plan. Stop and wait for what the user says next.';
    return { ...textResult(text, { ...details, decision: 'closed' }), isError: true };
  }

  async #edit(
    ui: UserInterface,
    scope: { session: string; cwd: string },
    plan: string,
    signal: AbortSignal,
  ): Promise<void> {
    const edited = await ui.editor('The plan', plan, { signal });
    signal.throwIfAborted();
    if (edited !== undefined && edited.trim() !== '' && edited !== plan) await this.#files.write(scope, edited);
  }

  /** The run ends first: a session cannot be left in the middle of one. */
  #beginAnew(agent: AgentSession, id: string, plan: string): void {
    const begin = async () => {
      await agent.abort();
      await agent.prompt(await this.#approve(id, plan, { fresh: true }));
    };
    begin().catch((fault: unknown) => {
      this.#host.log.error(`an approved plan could not be begun: ${messageOf(fault)}`);
      agent.emit({ type: 'notice', level: 'error', text: `The plan was not begun: ${messageOf(fault)}` });
    });
  }

  async #setTasks(id: string, plan: string): Promise<string> {
    const phases = planTodos(plan);
    if (phases.length === 0) return '';
    return planText(await this.#host.store.set(id, phases, { silent: true }));
  }

  #agent(id: string): AgentSession {
    const agent = this.#host.agents.get(id);
    if (!agent) throw errors.create('PLANNING_TOOLS_NO_SESSION', { tool: 'A plan' });
    return agent;
  }
}
