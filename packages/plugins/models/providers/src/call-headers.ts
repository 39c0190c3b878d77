/** Headers that differ from call to call: the quirk `callHeaders` names whose. */
import type { ModelRequest } from '@tenon/models/api';
import { quirk } from './dialect.ts';

/** The headers of one call; nothing for endpoints that want none. */
export function callHeaders(request: ModelRequest): Record<string, string> | undefined {
  switch (quirk(request, 'callHeaders', 'string')) {
    case 'copilot':
      return copilotHeaders(request);
    case 'codex':
      return request.sessionId === undefined ? undefined : { session_id: request.sessionId };
    default:
      return undefined;
  }
}

/** Copilot counts what a person asks for, not what follows from it, and wants to know when there are images to look at. */
function copilotHeaders({ messages }: ModelRequest): Record<string, string> {
  const isAsked = messages.at(-1)?.role === 'user';
  const sees = messages.some(
    ({ content }) => typeof content !== 'string' && content.some((part) => part.type === 'image'),
  );
  return { 'x-initiator': isAsked ? 'user' : 'agent', ...(sees && { 'copilot-vision-request': 'true' }) };
}
