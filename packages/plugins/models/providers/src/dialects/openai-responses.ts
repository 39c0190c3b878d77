import type { ModelRequest, ThinkingLevel } from '@tenon/models/api';
import { azureDeployment, azureFetch } from '../azure.ts';
import { type Dialect, headersOf, type Metadata, type Options, quirk, textIn, versionIn } from '../dialect.ts';
import { MADE_UP_ID, ResponsesMender } from '../mending/openai-responses.ts';

/** Effort names differ by generation: 5.1 learned `none`, 5.2 learned `xhigh`. */
export function effortFor(id: string, level: ThinkingLevel): string {
  const version = versionIn(id, /gpt-/);
  const newer = (major: number, minor: number) =>
    version !== undefined && (version[0] > major || (version[0] === major && version[1] >= minor));
  if (level === 'off') return newer(5, 1) ? 'none' : newer(5, 0) ? 'minimal' : 'low';
  if (level === 'minimal') return newer(5, 1) ? 'low' : newer(5, 0) ? 'minimal' : 'low';
  if (level === 'xhigh') return newer(5, 2) || id.includes('codex-max') ? 'xhigh' : 'high';
  return level;
}

const TIERS = new Set(['auto', 'flex', 'priority', 'fast', 'ultrafast', 'default']);

interface ReasoningItem {
  readonly id?: string;
  readonly encrypted_content?: string;
}

/** OpenAI Responses. Nothing is kept on the server: thoughts travel encrypted with the conversation. */
export const dialect: Dialect = {
  optionsKey: 'openai',
  mender: () => new ResponsesMender(),
  imagesInResults: true,
  async load(target, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const { apiKey = 'none', model } = target;
    const isAzure = quirk(target, 'azure', 'boolean') === true;
    const provider = createOpenAI({
      apiKey,
      ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
      headers: { ...(isAzure && { 'api-key': apiKey }), ...headersOf(target) },
      fetch: isAzure ? azureFetch(fetch, process.env) : fetch,
    });
    return provider.responses(isAzure ? azureDeployment(model.id, process.env) : model.id);
  },
  options(request) {
    const { model, thinking, sessionId, serviceTier, cache = 'short', systemPrompt } = request;
    const reasoning: Options =
      model.reasoning && thinking !== undefined
        ? {
            forceReasoning: true,
            reasoningEffort: effortFor(model.id, thinking),
            ...(thinking !== 'off' && { reasoningSummary: 'auto' }),
            include: ['reasoning.encrypted_content'],
          }
        : {};
    return {
      store: false,
      ...reasoning,
      ...(isCodex(request) && {
        // The backend wants instructions, and takes them only here.
        instructions: systemPrompt === '' ? 'Answer the user.' : systemPrompt,
        systemMessageMode: 'remove',
        include: ['reasoning.encrypted_content'],
      }),
      ...(sessionId !== undefined && cache !== 'none' && { promptCacheKey: sessionId.slice(0, 64) }),
      ...(cache === 'long' && !isCodex(request) && { promptCacheRetention: '24h' }),
      ...(serviceTier && TIERS.has(serviceTier) && { serviceTier }),
    };
  },
  takesLimits: (request) => !isCodex(request),
  toolCallId: (id) => (id.split('|')[0] as string).slice(0, 64),
  returnThinking({ thinkingSignature }) {
    const item = readItem(thinkingSignature);
    if (item?.encrypted_content === undefined) return undefined;
    return { ...(item.id !== undefined && { itemId: item.id }), reasoningEncryptedContent: item.encrypted_content };
  },
  returnToolCall({ id }) {
    const itemId = id.split('|')[1];
    return itemId === undefined ? undefined : { itemId };
  },
  returnText: (signature) => ({ itemId: signature }),
  thinkingSignature(metadata) {
    const encrypted_content = textIn(metadata, 'reasoningEncryptedContent');
    const id = itemIdIn(metadata);
    if (encrypted_content === undefined) return undefined;
    return { signature: JSON.stringify({ type: 'reasoning', id, encrypted_content, summary: [] }) };
  },
  textSignature: itemIdIn,
  keepToolCallId(id, metadata) {
    const itemId = itemIdIn(metadata);
    return itemId === undefined ? id : `${id}|${itemId}`;
  },
};

/** True for the backend of ChatGPT's Codex, which takes less than the API does. */
function isCodex(request: Pick<ModelRequest, 'model'>): boolean {
  return quirk(request, 'codex', 'boolean') === true;
}

/** The id that the server gave to an item. */
function itemIdIn(metadata: Metadata): string | undefined {
  const id = textIn(metadata, 'itemId');
  return id?.startsWith(MADE_UP_ID) ? undefined : id;
}

/** The reasoning item in a signature; one from elsewhere is no item and stays behind. */
function readItem(signature: string | undefined): ReasoningItem | undefined {
  if (signature === undefined || !signature.startsWith('{')) return undefined;
  try {
    return JSON.parse(signature) as ReasoningItem;
  } catch {
    return undefined; // Written by another program: a thought without a usable signature cannot go back.
  }
}
