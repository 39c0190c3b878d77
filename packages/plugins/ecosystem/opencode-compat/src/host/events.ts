/** What happens in a session, as OpenCode names it. */
import type { AgentEvent } from '@tenon/agent/api';
import { foreignName } from './tool-names.ts';

/** An event for the hook `event`. */
export interface ForeignEvent {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The events for something that an agent tells; none for what OpenCode has no word for. */
export function foreignEvents(sessionID: string, event: AgentEvent): readonly ForeignEvent[] {
  const status = (type: 'busy' | 'idle') => ({
    type: 'session.status',
    properties: { sessionID, status: { type } },
  });
  switch (event.type) {
    case 'agent_start':
      return [status('busy')];
    case 'agent_end':
      return [
        ...(event.error === undefined
          ? []
          : [
              {
                type: 'session.error',
                properties: { sessionID, error: { name: 'UnknownError', data: { message: event.error } } },
              },
            ]),
        status('idle'),
        { type: 'session.idle', properties: { sessionID } },
      ];
    case 'message_end': {
      const { role } = event.message;
      if (role !== 'user' && role !== 'assistant') return [];
      return [{ type: 'message.updated', properties: { sessionID, info: { sessionID, role } } }];
    }
    case 'tool_execution_start': {
      const { toolCallId: callID, toolName, args: input } = event;
      return [toolPart(sessionID, toolName, callID, { status: 'running', input })];
    }
    case 'tool_execution_end': {
      const { toolCallId: callID, toolName, isError, result } = event;
      const output = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      const state = isError ? { status: 'error', error: output } : { status: 'completed', output };
      return [toolPart(sessionID, toolName, callID, state)];
    }
    default:
      return [];
  }
}

function toolPart(
  sessionID: string,
  tool: string,
  callID: string,
  state: Readonly<Record<string, unknown>>,
): ForeignEvent {
  const part = { type: 'tool', sessionID, tool: foreignName(tool), callID, state };
  return { type: 'message.part.updated', properties: { sessionID, part } };
}
