import {
  type AgentSession,
  agentStop,
  beforeStart,
  compacting,
  context,
  liveAgents,
  sessionShutdown,
  sessionSwitch,
  sessionTree,
} from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { folders, userInterface } from '@tenon/host';
import { definePlugin, type Disposable, Type } from '@tenon/kernel';
import type { CustomMessage } from '@tenon/sessions/api';
import { toolCall, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { planMode, todos, todosChanged } from './api.ts';
import { createAskTool } from './ask-tool.ts';
import { createCheckpointTool, createRewindTool } from './checkpoint-tools.ts';
import { carryOutRewind, hasActiveCheckpoint } from './checkpoints.ts';
import type { PlanningHost } from './host.ts';
import { PlanDesk } from './plan-approval.ts';
import { PlanFiles } from './plan-file.ts';
import { PlanModes, whyNotWhilePlanning } from './plan-mode.ts';
import { prompts } from './prompts/index.ts';
import { createSubmitPlanTool, SUBMIT_PLAN } from './submit-plan-tool.ts';
import { isOpen, planText, tasksOf } from './todo-plan.ts';
import { TodoReminder } from './todo-reminder.ts';
import { TodoStore } from './todo-store.ts';
import { createTodoTool } from './todo-tool.ts';
import type { PlanningToolsSettings } from './generated/settings.ts';

/** What the tool for plans may take of a request. */
const SUBMIT_TOKENS = 1_000;

/** Nobody is asked about a call that planning refuses anyway. */
const BEFORE_QUESTIONS = { priority: 100 };

/** The tools for planning: the plan itself, questions to the user, and going back after an exploration. */
export default definePlugin({
  id: 'planning-tools',
  config: Type.Unsafe<PlanningToolsSettings>({}),
  needs: { folders, agents: liveAgents },
  defines: [todos, todosChanged, planMode],
  activate(ctx) {
    const { agents } = ctx.needs;
    const store = new TodoStore({
      agents,
      changed: (session, phases) => void ctx.run(todosChanged, { session, phases }),
    });
    const host: PlanningHost = {
      config: ctx.config,
      folders: ctx.needs.folders,
      agents,
      store,
      log: ctx.log,
      userInterface: () => ctx.find(userInterface),
    };
    const reminder = new TodoReminder(host);
    const plans = new PlanModes(agents);
    ctx.provide(todos, store);
    const files = new PlanFiles(() => ctx.find(urlRouter));
    /** The tool that submits a plan, where it was added: agents that do not plan have no use for it. */
    const offered = new Map<AgentSession, Disposable>();
    const takeBack = async (session: string) => {
      const agent = agents.get(session);
      const added = agent && offered.get(agent);
      if (!agent || !added) return;
      offered.delete(agent);
      await added.dispose();
    };
    const setPlanning = async (session: string, isOn: boolean) => {
      await plans.set(session, isOn);
      if (!isOn) await takeBack(session);
    };
    const desk = new PlanDesk(host, { files, setPlanning });
    ctx.provide(planMode, {
      isOn: (session) => plans.isOn(session),
      set: setPlanning,
      plan: async (session) => {
        const agent = agents.get(session);
        return agent && files.read({ session, cwd: agent.cwd });
      },
      approve: (session, approval) => desk.approve(session, approval),
    });
    ctx.contribute(tools, 'todo_write', createTodoTool(host));
    ctx.contribute(tools, 'ask', createAskTool(host));
    ctx.contribute(tools, SUBMIT_PLAN, createSubmitPlanTool(plans, files, desk));
    ctx.contribute(tools, 'checkpoint', createCheckpointTool(host));
    ctx.contribute(tools, 'rewind', createRewindTool(host));

    ctx.on(beforeStart, async (start) => {
      const { session } = start;
      if (session === undefined) return undefined;
      const isNews = store.takeNews(session);
      const phases = store.phases(session);
      if (phases.length > 0 && !tasksOf(phases).some(isOpen)) {
        await store.set(session, [], { silent: true });
        agents.get(session)?.emit({ type: 'todo_auto_clear' });
        return undefined;
      }
      return isNews ? { ...start, inject: [...start.inject, newsOf(planText(phases))] } : undefined;
    });
    ctx.on(beforeStart, async (start) => {
      const agent = start.session === undefined ? undefined : agents.get(start.session);
      if (!agent) return undefined;
      if (!plans.isOn(agent.session.id)) {
        await takeBack(agent.session.id);
        return undefined;
      }
      const add = (words: string) => ({ ...start, systemPrompt: `${start.systemPrompt}\n\n${words}` });
      // A subagent gives its result to the agent; the plan is that one's work.
      if (agent.parent) return add(prompts.planHeld());
      if (!offered.has(agent)) offered.set(agent, await agent.addTools([SUBMIT_PLAN], { budget: SUBMIT_TOKENS }));
      return add(prompts.planMode({ canSubmit: agent.state.tools.some(({ name }) => name === SUBMIT_PLAN) }));
    });
    ctx.on(
      toolCall,
      async (event) => {
        if (event.scope === undefined || !plans.isOn(event.scope.session)) return undefined;
        const reason = await whyNotWhilePlanning(event, () => ctx.findOptional(approvals));
        return reason === undefined
          ? undefined
          : {
              deny: `the user wants a plan first, and ${reason}. Put it into the plan; \`/plan approve\` lets you do it.`,
            };
      },
      BEFORE_QUESTIONS,
    );
    ctx.on(sessionTree, ({ session }) => plans.forget(session));
    ctx.on(sessionSwitch, async ({ session, previous, reason }) => {
      const wasOn = plans.isOn(previous);
      plans.forget(previous);
      plans.forget(session);
      // Whoever goes on with the work goes on planning.
      if (reason === 'handoff' && wasOn) await plans.set(session, true);
    });
    ctx.on(sessionShutdown, ({ session }) => {
      plans.forget(session);
      const agent = agents.get(session);
      if (agent) offered.delete(agent);
    });
    ctx.on(agentStop, (stop) => {
      const session = stop.session === undefined ? undefined : agents.get(stop.session)?.session;
      if (session && stop.continues === 0 && hasActiveCheckpoint(session)) return { continue: prompts.rewindFirst() };
      const reminderText = reminder.remind(stop);
      return reminderText === undefined ? undefined : { continue: reminderText };
    });
    ctx.on(compacting, (plan) => {
      const phases = plan.session === undefined ? [] : store.phases(plan.session);
      return tasksOf(phases).some(isOpen)
        ? { ...plan, context: [...plan.context, `The plan (todo_write):\n${planText(phases)}`] }
        : undefined;
    });
    const rewound = async <T extends object>(given: T, agent: AgentSession): Promise<T | undefined> => {
      if (!(await carryOutRewind(agent))) return undefined;
      agent.reload();
      return { ...given, messages: agent.session.context().messages };
    };
    ctx.on(context, (event) => {
      const isAsked = event.messages.some((message) => message.role === 'toolResult' && message.toolName === 'rewind');
      const agent = isAsked && event.session !== undefined ? agents.get(event.session) : undefined;
      return agent && rewound(event, agent);
    });
  },
});

function newsOf(plan: string): CustomMessage {
  const content = prompts.todoNews({ plan });
  return { role: 'custom', customType: 'todos', content, display: false, attribution: 'user', timestamp: Date.now() };
}
