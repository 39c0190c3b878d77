/** A server asks for an answer of a model. The user is asked first, because the server decides what is sent. */
import type { CreateMessageRequestParams, CreateMessageResult, SamplingMessage } from '@modelcontextprotocol/client';
import {
  type AssistantMessage,
  failureText,
  type ImageContent,
  type Model,
  type ModelMessage,
  type ModelRegistry,
  type TextContent,
} from '@tenon/models/api';
import type { UserInterface } from '@tenon/host';

/** Whether servers may use the user's models. */
export type SamplingPolicy = 'ask' | 'allow' | 'deny';

/** What answering needs. */
export interface SamplingHost {
  readonly policy: SamplingPolicy;
  models(): Promise<ModelRegistry>;
  /** The model that leads the conversation in a folder: what a server asks about came from there. */
  leadingModel(cwd: string): Promise<Model | undefined>;
  userInterface(): Promise<UserInterface | undefined>;
}

const MAX_TOKENS = 8_192;
const SHOWN_CHARS = 600;

/** Answers a request, or rejects with the reason why it is not answered. */
export async function sample(
  host: SamplingHost,
  { server, cwd }: { readonly server: string; readonly cwd: string },
  params: CreateMessageRequestParams,
  signal: AbortSignal,
): Promise<CreateMessageResult> {
  if (host.policy === 'deny') throw new Error('The user does not let servers use models (setting mcp.sampling).');
  const messages = params.messages.map(toModelMessage);
  if (host.policy === 'ask' && !(await isAllowed(host, server, params, signal))) {
    throw new Error('The user rejected the request.');
  }
  const models = await host.models();
  const model = await chooseModel(models, await host.leadingModel(cwd), params);
  const request = {
    model,
    systemPrompt: params.systemPrompt ?? '',
    messages,
    tools: [],
    maxTokens: Math.min(params.maxTokens, MAX_TOKENS),
    ...(params.temperature !== undefined && { temperature: params.temperature }),
  };
  for await (const event of models.stream(request, { signal })) {
    if (event.type === 'done') return toResult(event.message, event.reason);
    if (event.type === 'error') throw new Error(failureText(event.error));
  }
  throw new Error('the model gave no answer');
}

async function isAllowed(
  host: SamplingHost,
  server: string,
  params: CreateMessageRequestParams,
  signal: AbortSignal,
): Promise<boolean> {
  const ui = await host.userInterface();
  if (ui?.canAsk() !== true) return false;
  const text = params.messages
    .flatMap(({ content }) => [content].flat())
    .flatMap((part) => (part.type === 'text' ? [part.text] : [`[${part.type}]`]));
  const shown = [params.systemPrompt, ...text].filter(Boolean).join('\n');
  const cut = shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}…` : shown;
  return ui.confirm(`The MCP server "${server}" asks your model for an answer. Allow it?`, cut, { signal });
}

/** A server may wish for a kind of model. Which company answers is the user's choice. */
async function chooseModel(
  models: ModelRegistry,
  lead: Model | undefined,
  { modelPreferences }: CreateMessageRequestParams,
): Promise<Model> {
  for (const { name } of modelPreferences?.hints ?? []) {
    const match = name === undefined ? undefined : await models.find(name);
    if (match && (!lead || match.model.provider === lead.provider)) return match.model;
  }
  const { speedPriority = 0, costPriority = 0, intelligencePriority = 0 } = modelPreferences ?? {};
  const isSmall = Math.max(speedPriority, costPriority) > intelligencePriority;
  if (lead && !isSmall) return lead;
  return (await models.forRole(isSmall ? 'small' : 'default', lead && { beside: lead })).model;
}

function toModelMessage({ role, content }: SamplingMessage): ModelMessage {
  const parts = [content].flat().map((part): TextContent | ImageContent => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    if (part.type === 'image') return { type: 'image', data: part.data, mimeType: part.mimeType };
    throw new Error(`Content of type "${part.type}" cannot be given to a model here.`);
  });
  const timestamp = Date.now();
  if (role === 'user') return { role, content: parts, timestamp };
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: 'assistant',
    content: parts.filter((part) => part.type === 'text'),
    api: 'mcp',
    provider: 'mcp',
    model: 'mcp',
    usage: { ...nothing, totalTokens: 0, cost: { ...nothing, total: 0 } },
    stopReason: 'stop',
    timestamp,
  };
}

function toResult({ content, provider, model }: AssistantMessage, reason: string): CreateMessageResult {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: `${provider}/${model}`,
    stopReason: reason === 'length' ? 'maxTokens' : 'endTurn',
  };
}
