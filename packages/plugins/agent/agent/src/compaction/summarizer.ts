/** Asks a model one question, outside the conversation. */
import { messageOf, type TenonError } from '@tenon/kernel';
import { type AssistantMessage, failureText, type Model, type ModelRequest } from '@tenon/models/api';
import { errors } from '../errors.ts';
import type { AgentParts } from '../host.ts';
import { changeRequest } from '../model-hooks.ts';
import type { ModelUse } from '../model-use.ts';
import { render } from '../prompts/index.ts';
import { estimateText } from '../tokens.ts';

/** What summaries are made with. */
export type SummaryParts = Pick<AgentParts, 'host' | 'conversation'> & { readonly models: ModelUse };

/** What one call needs beside the model. */
export type Question = Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools'> & Partial<ModelRequest>;

/** One text for another, without tools: by the small model if it can take that much, else by the one in use. */
export async function askForSummary(parts: SummaryParts, text: string, signal: AbortSignal): Promise<string> {
  const question = {
    systemPrompt: render('compaction-system'),
    messages: [{ role: 'user' as const, content: text, timestamp: Date.now() }],
    tools: [],
  };
  const candidates = await summarizers(parts, estimateText(text));
  let failure: unknown;
  for (const model of candidates) {
    try {
      const answer = textOf(await askModel(parts, model, question, signal));
      if (answer !== '') return answer;
      throw errors.create('AGENT_COMPACTION_FAILED', { reason: 'the model gave an empty summary' });
    } catch (fault) {
      if (signal.aborted) throw fault;
      parts.host.log.warn(`no summary from ${model.provider}/${model.id}: ${messageOf(fault)}`);
      failure = fault;
    }
  }
  throw failure;
}

/** Of the same provider, unless the settings name a model for the role: a conversation goes to nobody else by itself. */
async function summarizers({ host, models: { model } }: SummaryParts, tokens: number): Promise<Model[]> {
  const { model: small } = await host.needs.models.forRole('small', { beside: model });
  const isSame = small.provider === model.provider && small.id === model.id;
  return isSame || small.contextWindow - small.maxTokens < tokens ? [model] : [small, model];
}

/** One answer of a model. A failure of the model is an error, and so is being stopped. */
export async function askModel(
  parts: SummaryParts,
  model: Model,
  question: Question,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { host, conversation, models } = parts;
  const { systemPrompt, messages, tools, ...rest } = question;
  const changed = await changeRequest(parts, { systemPrompt, messages, tools });
  const request = { model, sessionId: conversation.session.id, toolChoice: 'none' as const, ...rest, ...changed };
  for await (const event of host.needs.models.stream(request, { signal, mayWait: () => models.mayWait })) {
    if (event.type === 'error') {
      if (event.reason === 'aborted') throw new DOMException('The user stopped the summary.', 'AbortError');
      throw failed(failureText(event.error));
    }
    if (event.type !== 'done') continue;
    models.used(event.message, 'summary');
    return event.message;
  }
  throw failed('the model ended without an answer');
}

function failed(reason: string): TenonError {
  return errors.create('AGENT_COMPACTION_FAILED', { reason });
}

/** The text of an answer; calls of tools that were not asked for are left out. */
export function textOf({ content }: AssistantMessage): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}
