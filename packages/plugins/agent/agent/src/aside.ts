/** A question beside the conversation: the model answers in text, calls no tools, and nothing of it is kept. */
import type { AsideOptions } from './api.ts';
import { askModel, type SummaryParts, textOf } from './compaction/summarizer.ts';
import { toModelMessages } from './convert.ts';
import { errors } from './errors.ts';
import type { LoopContext } from './loop-config.ts';
import { changeContext } from './model-hooks.ts';
import { render } from './prompts/index.ts';

/** The answer of the session's model. It works while a run does: neither waits for the other. */
export async function askAside(
  parts: SummaryParts,
  { systemPrompt, tools }: Pick<LoopContext, 'systemPrompt' | 'tools'>,
  text: string,
  { alone = false, signal }: { readonly alone?: boolean; readonly signal: AbortSignal },
): Promise<string> {
  const question = { role: 'user' as const, content: text, timestamp: Date.now() };
  const { model, thinking } = parts.models;
  // Beside the conversation, prompt, tools and messages are those of the last turn: the provider's cache serves them again.
  const request = alone
    ? { systemPrompt: render('aside-system'), messages: [question], tools: [] }
    : {
        systemPrompt,
        messages: [...toModelMessages(await changeContext(parts, parts.conversation.messages)), question],
        tools: tools.modelTools(),
        thinking,
      };
  const asked = alone ? (await parts.host.needs.models.forRole('small', { beside: model })).model : model;
  const failed = (reason: string, cause?: unknown) => errors.create('AGENT_ASIDE_FAILED', { reason }, cause);
  const answer = textOf(await askModel(parts, asked, request, signal, failed));
  if (answer === '') throw failed('the model had nothing to say');
  return answer;
}

/** One signal for those who may end the question: whoever asks, and the agent that ends. */
export function asideSignal(ended: AbortSignal, { signal }: AsideOptions): AbortSignal {
  return signal ? AbortSignal.any([ended, signal]) : ended;
}
