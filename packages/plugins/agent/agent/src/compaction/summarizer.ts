/** Asks a model one question, outside the conversation. */
import { messageOf, type TenonError } from '@tenon/kernel';
import { type AssistantMessage, failureText, type Model, type ModelRequest } from '@tenon/models/api';
import type { LoopSession } from '../agent-session.ts';
import { errors } from '../errors.ts';
import { render } from '../prompts/index.ts';
import { estimateText } from '../tokens.ts';

/** What one call needs beside the model. */
export type Question = Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools'> & Partial<ModelRequest>;

/** One text for another, without tools: by the small model if it can take that much, else by the one in use. */
export async function askForSummary(agent: LoopSession, text: string, signal: AbortSignal): Promise<string> {
  const question = {
    systemPrompt: render('compaction-system'),
    messages: [{ role: 'user' as const, content: text, timestamp: Date.now() }],
    tools: [],
  };
  const candidates = await summarizers(agent, estimateText(text));
  let failure: unknown;
  for (const model of candidates) {
    try {
      const answer = textOf(await askModel(agent, model, question, signal));
      if (answer !== '') return answer;
      throw errors.create('AGENT_COMPACTION_FAILED', { reason: 'the model gave an empty summary' });
    } catch (fault) {
      if (signal.aborted) throw fault;
      agent.host.log.warn(`no summary from ${model.provider}/${model.id}: ${messageOf(fault)}`);
      failure = fault;
    }
  }
  throw failure;
}

async function summarizers(agent: LoopSession, tokens: number): Promise<Model[]> {
  const { host, model } = agent;
  // Without a model for the role there is still the one that leads the conversation.
  const small = await host.models.forRole('small').catch(() => undefined);
  const isSame = small && small.model.provider === model.provider && small.model.id === model.id;
  if (!small || isSame || small.model.contextWindow - small.model.maxTokens < tokens) return [model];
  return [small.model, model];
}

/** One answer of a model. A failure of the model is an error, and so is being stopped. */
export async function askModel(
  agent: LoopSession,
  model: Model,
  question: Question,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { host, session } = agent;
  const { systemPrompt, messages, tools, ...rest } = question;
  const parts = await host.changeRequest({ systemPrompt, messages, tools });
  const request = { model, sessionId: session.id, toolChoice: 'none' as const, ...rest, ...parts };
  for await (const event of host.models.stream(request, { signal, mayWait: () => agent.autoRetry })) {
    if (event.type === 'error') {
      if (event.reason === 'aborted') throw new DOMException('The user stopped the summary.', 'AbortError');
      throw failed(failureText(event.error));
    }
    if (event.type !== 'done') continue;
    agent.count(event.message, 'summary');
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
