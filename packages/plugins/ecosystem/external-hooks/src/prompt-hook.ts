/** Hooks that are a question to a small model. */
import { liveAgents, modelRequest } from '@tenon/agent/api';
import { type KernelAccess, messageOf } from '@tenon/kernel';
import { failureText, modelRegistry } from '@tenon/models/api';
import { isRecord } from './dialects/dialect.ts';
import type { Reading } from './outcome.ts';
import { prompts } from './prompts/index.ts';

/** How long the model may take, unless the hook says otherwise. */
export const PROMPT_TIMEOUT_MS = 30_000;
const MAX_FACTS = 40_000;

/** A question to ask. */
export interface PromptRequest {
  readonly prompt: string;
  /** The JSON that a command would get. */
  readonly facts: string;
  readonly label: string;
  /** Whose conversation the facts are from: the model is one of its provider. */
  readonly session: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Asks the model of the role `small`. A model that fails or says something else refuses nothing, and the user is told. */
export async function askModel(kernel: Pick<KernelAccess, 'find' | 'run'>, request: PromptRequest): Promise<Reading> {
  const { label, timeoutMs } = request;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([request.signal, limit]);
  try {
    return verdictOf(await answer(kernel, request, signal), label);
  } catch (fault) {
    if (request.signal.aborted) return {};
    const what = limit.aborted ? `got no answer within ${timeoutMs / 1000} s` : `failed: ${messageOf(fault)}`;
    return { warning: `${label} ${what}.` };
  }
}

async function answer(
  kernel: Pick<KernelAccess, 'find' | 'run'>,
  { prompt, facts, session }: PromptRequest,
  signal: AbortSignal,
): Promise<string> {
  const models = await kernel.find(modelRegistry);
  const lead = session === undefined ? undefined : (await kernel.find(liveAgents)).get(session)?.state.model;
  const { model, thinking } = await models.forRole('small', lead && { beside: lead });
  const shown = facts.length > MAX_FACTS ? `${facts.slice(0, MAX_FACTS)}…` : facts;
  const content = prompt.includes('$ARGUMENTS')
    ? prompt.replaceAll('$ARGUMENTS', () => shown)
    : `${prompt}\n\n${shown}`;
  // Secrets are masked here, as in every other request. Without a session: this is no part of its conversation.
  const parts = await kernel.run(
    modelRequest,
    { systemPrompt: prompts.judge(), messages: [{ role: 'user', content, timestamp: Date.now() }], tools: [] },
    signal,
  );
  const { session: _session, ...request } = parts;
  for await (const event of models.stream({ model, ...request, ...(thinking && { thinking }) }, { signal })) {
    if (event.type === 'error') throw new Error(failureText(event.error));
    if (event.type === 'done')
      return event.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  }
  throw new Error('the model gave no answer');
}

function verdictOf(text: string, label: string): Reading {
  const json = /\{[\s\S]*\}/.exec(text)?.[0];
  let verdict: unknown;
  try {
    verdict = json === undefined ? undefined : JSON.parse(json);
  } catch {
    verdict = undefined;
  }
  if (!isRecord(verdict) || typeof verdict['ok'] !== 'boolean')
    return {
      warning: `${label} got an answer from the model that is not a decision: ${JSON.stringify(text.slice(0, 120))}.`,
    };
  if (verdict['ok']) return {};
  const { reason } = verdict;
  return { decision: 'deny', reason: typeof reason === 'string' && reason !== '' ? reason : `${label} said no` };
}
