import type { AgentSession } from '@tenon/agent/api';

/** Calls `undo` when the agent's run is over: for what holds for one prompt. */
export function untilRunEnds(agent: AgentSession, undo: () => void): void {
  const stop = agent.subscribe((event) => {
    if (event.type !== 'agent_end') return;
    stop();
    undo();
  });
}
