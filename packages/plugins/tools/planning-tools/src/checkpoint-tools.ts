import type { AgentSession } from '@tenon/agent/api';
import { explainFailures, textResult, type Tool, type ToolCall } from '@tenon/tools/api';
import { type Logger, messageOf, Type } from '@tenon/kernel';
import { dropCheckpoint, hasActiveCheckpoint } from './checkpoints.ts';
import { errors } from './errors.ts';
import type { PlanningHost } from './host.ts';
import { prompts } from './prompts/index.ts';

type Host = Pick<PlanningHost, 'agents' | 'log'>;

/** The tool that marks a point of the conversation. */
export function createCheckpointTool(host: Host): Tool {
  return explainFailures({
    description: prompts.checkpoint(),
    parameters: Type.Object(
      { goal: Type.String({ description: 'What you want to find out' }) },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    execute(input, call) {
      const agent = agentOf(host, call, 'checkpoint');
      const { session } = agent;
      if (hasActiveCheckpoint(session)) throw errors.create('PLANNING_TOOLS_CHECKPOINT_ACTIVE');
      endWhenAborted(agent, host.log);
      const goal = String(input['goal']).trim();
      const text = [
        'Checkpoint created.',
        `Goal: ${goal}`,
        'Run your investigation, then call rewind with a concise report.',
      ].join('\n');
      return Promise.resolve(textResult(text, { goal, startedAt: new Date().toISOString() }));
    },
  });
}

/** The tool that goes back there. The conversation is taken back when the turn is over. */
export function createRewindTool(host: Host): Tool {
  return explainFailures({
    description: prompts.rewind(),
    parameters: Type.Object({ report: Type.String() }, { additionalProperties: false }),
    touches: () => ({}),
    execute(input, call) {
      const { session } = agentOf(host, call, 'rewind');
      if (!hasActiveCheckpoint(session)) throw errors.create('PLANNING_TOOLS_NO_CHECKPOINT');
      const report = String(input['report']).trim();
      if (report === '') throw errors.create('PLANNING_TOOLS_REPORT_EMPTY');
      const text = 'Rewind requested.\nReport captured for context replacement.';
      return Promise.resolve(textResult(text, { report, rewound: true }));
    },
  });
}

/** A user who stops the agent does not want it to go back and report first. Watched only while there is a checkpoint. */
function endWhenAborted(agent: AgentSession, log: Logger): void {
  const { session } = agent;
  const stop = agent.subscribe((event) => {
    if (event.type !== 'turn_end') return;
    const isAborted = event.message.stopReason === 'aborted';
    if (isAborted) {
      dropCheckpoint(session, 'aborted').catch((fault: unknown) =>
        log.warn(`a checkpoint could not be ended: ${messageOf(fault)}`, { session: session.id }),
      );
    }
    if (isAborted || !hasActiveCheckpoint(session)) stop();
  });
}

function agentOf({ agents }: Host, { scope }: ToolCall, tool: string): AgentSession {
  const agent = scope && agents.get(scope.session);
  if (!agent) throw errors.create('PLANNING_TOOLS_NO_SESSION', { tool });
  // A session of a subagent begins with what it was told to do.
  for (const { type } of agent.session.entries()) {
    if (type === 'session_init') throw errors.create('PLANNING_TOOLS_SUBAGENT');
  }
  return agent;
}
