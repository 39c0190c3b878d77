/** What a router is told about a request, and what it keeps between requests. */
import type { AgentSession } from '@tenon/agent/api';
import type { AssistantMessage, Model, ModelRequest, ThinkingLevel } from '@tenon/models/api';
import type { RouteQuestion, RouteReason, VirtualModelShape } from '../protocol.ts';
import { piModel } from './pi-shapes.ts';

/** The entry of a session that holds what a router keeps; the same as in pi. */
const STATE_ENTRY = 'pi.virtual-model-state';

/** A request that failed. */
export interface Failed {
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly message: AssistantMessage;
}

/** What is known beside the request. */
export interface Around {
  readonly shape: VirtualModelShape;
  /** The agent that makes the request; absent for requests outside of its loop. */
  readonly agent: AgentSession | undefined;
  readonly known: readonly Readonly<Record<string, unknown>>[];
  readonly failed: Failed | undefined;
}

/** The request as pi describes it. */
export function routeQuestion(request: ModelRequest, { shape, agent, known, failed }: Around): RouteQuestion {
  const { model, messages, systemPrompt, thinking = 'off' } = request;
  const last = messages.findLast(isAnswer);
  const previous = last && known.find(({ provider, id }) => provider === last.provider && id === last.model);
  const state = agent && stateIn(agent, shape);
  return {
    model: piModel(model),
    thinkingLevel: thinking,
    reason: reasonOf(messages, agent, failed),
    messages: [
      ...(systemPrompt === '' ? [] : [{ role: 'system', content: [{ type: 'text', text: systemPrompt }] }]),
      ...messages.map((message) => ({ ...message })),
    ],
    ...(previous && { previous: { model: previous } }),
    ...(failed && {
      failed: { model: piModel(failed.model), thinkingLevel: failed.thinking, message: failed.message },
    }),
    ...(state !== undefined && { state }),
  };
}

/** The entry that keeps what a router wants to know the next time. */
export function newState({ provider, id }: VirtualModelShape, state: unknown) {
  return { customType: STATE_ENTRY, data: { provider, modelId: id, state } };
}

function reasonOf(
  messages: ModelRequest['messages'],
  agent: AgentSession | undefined,
  failed: Failed | undefined,
): RouteReason {
  if (!agent) return 'direct';
  if (failed) return 'retry';
  return messages.at(-1)?.role === 'user' ? 'user' : 'continuation';
}

/** An answer that came to its end. */
function isAnswer(message: ModelRequest['messages'][number]): message is AssistantMessage {
  return message.role === 'assistant' && message.stopReason !== 'error' && message.stopReason !== 'aborted';
}

/** What the router kept last on this branch. */
function stateIn({ session }: AgentSession, { provider, id }: VirtualModelShape): unknown {
  for (const entry of session.walk()) {
    if (entry.type !== 'custom' || entry.customType !== STATE_ENTRY) continue;
    const data = (entry.data ?? {}) as { provider?: unknown; modelId?: unknown; state?: unknown };
    if (data.provider === provider && data.modelId === id) return data.state;
  }
  return undefined;
}
