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
import { definePlugin, Type } from '@tenon/kernel';
import type { CustomMessage } from '@tenon/sessions/api';
import { toolCall, tools } from '@tenon/tools/api';
import { planMode, todos, todosChanged } from './api.ts';
import { createAskTool } from './ask-tool.ts';
import { createCheckpointTool, createRewindTool } from './checkpoint-tools.ts';
import { carryOutRewind, hasActiveCheckpoint } from './checkpoints.ts';
import type { PlanningHost } from './host.ts';
import { PlanModes, whyNotWhilePlanning } from './plan-mode.ts';
import { prompts } from './prompts/index.ts';
import { isOpen, planText, tasksOf } from './todo-plan.ts';
import { TodoReminder } from './todo-reminder.ts';
import { TodoStore } from './todo-store.ts';
import { createTodoTool } from './todo-tool.ts';
import type { PlanningToolsSettings } from './generated/settings.ts';

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
    ctx.provide(planMode, plans);
    ctx.contribute(tools, 'todo_write', createTodoTool(host));
    ctx.contribute(tools, 'ask', createAskTool(host));
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
    ctx.on(beforeStart, (start) =>
      start.session !== undefined && plans.isOn(start.session)
        ? { ...start, systemPrompt: `${start.systemPrompt}\n\n${prompts.planMode()}` }
        : undefined,
    );
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
    ctx.on(sessionShutdown, ({ session }) => plans.forget(session));
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
