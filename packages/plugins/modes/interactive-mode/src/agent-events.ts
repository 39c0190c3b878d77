/** What an event of the agent changes on the screen beside the transcript: working row, title, notices, status line. */
import type { AgentEvent } from '@tenon/agent/api';
import type { ScreenRun } from './screen-run.ts';

/** Shows an event. */
export function showEvent(run: ScreenRun, event: AgentEvent): void {
  const { app, surface, signals, parts } = run;
  const isPart = event.type === 'message_update' || event.type === 'tool_execution_update';
  // These come by the hundred a second and change nothing but the transcript.
  if (isPart) return app.transcript.on(event);
  const title = app.agent.session.header.title;
  if (event.type === 'agent_start') {
    surface.setWorking({ label: 'Working' });
    signals.setTitle('working', title);
  }
  if (event.type === 'agent_end') {
    signals.notify('The agent is done.', surface.workedMs);
    surface.setWorking(undefined);
    signals.setTitle('ready', title);
    run.nameSession();
  }
  const label = workLabel(event);
  if (label !== undefined) surface.setWorking({ label });
  if (event.type === 'auto_compaction_end' && !run.isRunning) surface.setWorking(undefined);
  if (event.type === 'session_switch') app.showSession();
  if (event.type === 'turn_end' || event.type === 'session_switch') run.refreshStatus();
  surface.refreshStatus();
  app.transcript.on(event);
  // Nothing else says so where nothing moves.
  if (event.type === 'agent_end' && parts.isPlain) app.notify('The agent is done.');
}

/** What the agent does from this event on, if the event says so. */
function workLabel(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'auto_retry_start':
      return event.delayMs > 0 ? 'Waiting before the model is asked again' : undefined;
    case 'auto_compaction_start':
      return 'Summarizing the conversation';
    case 'message_start':
      return event.message.role === 'assistant' ? 'Working' : undefined;
    case 'auto_retry_end':
    case 'auto_compaction_end':
      return 'Working';
    default:
      return undefined;
  }
}
