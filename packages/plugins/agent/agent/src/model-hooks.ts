/** Where plugins change what a model is asked, and what it answers. */
import type { AgentMessage } from '@tenon/sessions/api';
import { context, modelRequest, type RequestParts, streamFilters } from './api.ts';
import type { AgentParts } from './host.ts';
import type { LoopHooks } from './loop-config.ts';

type Parts = Pick<AgentParts, 'host' | 'conversation'>;

/** The hooks of the loop. */
export function loopHooks(parts: Parts): LoopHooks {
  const { host, conversation } = parts;
  return {
    context: (messages) => changeContext(parts, messages),
    request: (request) => changeRequest(parts, request),
    async filter(stream, call) {
      const filters = await host.read(streamFilters).resolveAll();
      const session = conversation.session.id;
      return filters.reduce((inner, { value }) => value.filter(inner, { session, ...call }), stream);
    },
  };
}

/** What the model is to see of the conversation. */
export async function changeContext(
  { host, conversation }: Parts,
  messages: readonly AgentMessage[],
): Promise<readonly AgentMessage[]> {
  return (await host.run(context, { ...conversation.place, messages })).messages;
}

/** The request as it goes out: secrets are masked in it. */
export async function changeRequest({ host, conversation }: Parts, request: RequestParts): Promise<RequestParts> {
  const { session: _id, ...parts } = await host.run(modelRequest, { session: conversation.session.id, ...request });
  return parts;
}
