import type { ModelRequest } from '@tenon/models/api';
import { azureDeployment, azureUrl } from '../azure.ts';
import { type LimitedRequest, quirk } from '../dialect.ts';
import type { DirectProtocol } from '../direct/protocol.ts';
import { ResponsesReader } from '../direct/responses-answer.ts';
import { responsesInput, responsesTools } from '../direct/responses-body.ts';
import { type Fields, fields, word } from '../mending/values.ts';
import { ResponsesMender } from '../mending/openai-responses.ts';
import { type Abilities, abilitiesOf } from '../openai-abilities.ts';
import { effortFor } from '../openai-effort.ts';
import { callId } from '../tool-ids.ts';

const TIERS = new Set(['auto', 'flex', 'priority', 'fast', 'ultrafast', 'default']);

/** OpenAI Responses. Nothing is kept on the server: thoughts travel encrypted with the conversation. */
export const protocol: DirectProtocol = {
  optionsKey: 'responses',
  imagesInResults: true,
  earlyErrorsAreServers: true,
  url(request) {
    const address = `${(request.model.baseUrl ?? 'https://api.openai.com/v1').replace(/\/$/, '')}/responses`;
    return isAzure(request) ? azureUrl(address, process.env) : address;
  },
  headers(request) {
    const { apiKey = 'none' } = request;
    return { authorization: `Bearer ${apiKey}`, ...(isAzure(request) && { 'api-key': apiKey }) };
  },
  body(request, prompt) {
    const { model, systemPrompt, maxTokens } = request;
    const id = isAzure(request) ? azureDeployment(model.id, process.env) : model.id;
    const abilities = abilitiesOf(id);
    const asksToThink = model.reasoning && request.thinking !== undefined;
    const isReasoning = asksToThink || abilities.isReasoning;
    const codex = isCodex(request);
    return {
      model: id,
      // The backend of ChatGPT wants instructions, and takes them only apart.
      ...(codex && { instructions: systemPrompt === '' ? 'Answer the user.' : systemPrompt }),
      input: responsesInput(prompt, {
        system: codex ? undefined : isReasoning ? 'developer' : 'system',
        isReasoning,
      }),
      ...responsesTools(request),
      ...(!codex && { max_output_tokens: maxTokens, ...temperature(request, isReasoning, abilities) }),
      store: false,
      ...(asksToThink && reasoning(request, abilities)),
      ...((isReasoning || codex) && { include: ['reasoning.encrypted_content'] }),
      ...routing(request, abilities),
      stream: true,
    };
  },
  mender: () => new ResponsesMender(),
  reader: (answer) => new ResponsesReader(answer),
  toolCallId: callId,
  returnThinking({ thinkingSignature }) {
    const item = readItem(thinkingSignature);
    const encrypted = word(item['encrypted_content']);
    if (encrypted === undefined) return undefined;
    const itemId = word(item['id']);
    return { ...(itemId !== undefined && { itemId }), reasoningEncryptedContent: encrypted };
  },
  returnText: (signature) => ({ itemId: signature }),
};

function isAzure(request: Pick<ModelRequest, 'model'>): boolean {
  return quirk(request, 'azure', 'boolean') === true;
}

/** True for the backend of ChatGPT's Codex, which takes less than the API does. */
function isCodex(request: Pick<ModelRequest, 'model'>): boolean {
  return quirk(request, 'codex', 'boolean') === true;
}

function reasoning({ model, thinking = 'off' }: LimitedRequest, { efforts }: Abilities): Fields {
  const effort = effortFor(model.id, thinking);
  const asked = {
    ...((efforts?.has(effort) ?? true) && { effort }),
    ...(thinking !== 'off' && { summary: 'auto' }),
  };
  return Object.keys(asked).length > 0 ? { reasoning: asked } : {};
}

/** Models that think take no temperature. */
function temperature(request: LimitedRequest, isReasoning: boolean, abilities: Abilities): Fields {
  const { model, thinking, temperature: wished } = request;
  if (wished === undefined) return {};
  const rests = model.reasoning && thinking !== undefined && effortFor(model.id, thinking) === 'none';
  return !isReasoning || (rests && abilities.mayRestFromReasoning) ? { temperature: wished } : {};
}

function routing(request: LimitedRequest, { flex, priority, cacheRetention }: Abilities): Fields {
  const { sessionId, serviceTier, cache = 'short' } = request;
  const takesTier =
    serviceTier === 'flex' ? flex : serviceTier === 'priority' || serviceTier === 'fast' ? priority : true;
  return {
    ...(sessionId !== undefined && cache !== 'none' && { prompt_cache_key: sessionId.slice(0, 64) }),
    ...(cache === 'long' && !isCodex(request) && cacheRetention && { prompt_cache_retention: '24h' }),
    ...(serviceTier && TIERS.has(serviceTier) && takesTier && { service_tier: serviceTier }),
  };
}

/** The reasoning item in a signature; one from elsewhere is no item and stays behind. */
function readItem(signature: string | undefined): Fields {
  if (signature === undefined || !signature.startsWith('{')) return {};
  try {
    return fields(JSON.parse(signature));
  } catch {
    return {}; // Written by another program: a thought without a usable signature cannot go back.
  }
}
