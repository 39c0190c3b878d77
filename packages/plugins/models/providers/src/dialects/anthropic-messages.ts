import { cacheControl, claudeEffort, refusalsOf, signedThinking, thinksAdaptively } from '../claude.ts';
import { forcesTool, type LimitedRequest, quirk, thinkingBudget } from '../dialect.ts';
import { MessagesReader } from '../direct/messages-answer.ts';
import { messagesPrompt, messagesTools } from '../direct/messages-body.ts';
import type { DirectProtocol } from '../direct/protocol.ts';
import { MessagesMender } from '../mending/anthropic-messages.ts';
import type { Fields } from '../mending/values.ts';
import { plainId } from '../tool-ids.ts';

const API = 'https://api.anthropic.com';

/** Tokens of a login begin so. */
const LOGIN = 'sk-ant-oat';

/** Anthropic Messages. */
export const protocol: DirectProtocol = {
  optionsKey: 'messages',
  imagesInResults: true,
  earlyErrorsAreServers: true,
  url({ model }) {
    const base = (model.baseUrl ?? API).replace(/\/$/, '');
    return `${base === API ? `${API}/v1` : base}/messages`;
  },
  headers(request) {
    const { apiKey = 'none' } = request;
    const isLogin = apiKey.startsWith(LOGIN);
    return {
      'anthropic-version': '2023-06-01',
      ...(isLogin && { 'anthropic-beta': 'oauth-2025-04-20' }),
      ...(isLogin || quirk(request, 'bearer', 'boolean') === true
        ? { authorization: `Bearer ${apiKey}` }
        : { 'x-api-key': apiKey }),
    };
  },
  /** What the body uses is named in a header, beside what the user names there. */
  joinHeaders(headers, { tools, speed, model }) {
    const betas = new Set(
      (headers['anthropic-beta'] ?? '')
        .toLowerCase()
        .split(',')
        .map((beta) => beta.trim()),
    );
    if (speed === 'fast') betas.add('fast-mode-2026-02-01');
    if (tools !== undefined && !refusalsOf(String(model)).strictOutput) betas.add('structured-outputs-2025-11-13');
    betas.delete('');
    if (betas.size > 0) headers['anthropic-beta'] = [...betas].join(',');
  },
  body(request, prompt) {
    const { model, serviceTier, sessionId, temperature, maxTokens } = request;
    const refuses = refusalsOf(model.id);
    const thoughts = thinking(request);
    const { type: kind } = (thoughts['thinking'] ?? {}) as { type?: string };
    const thinks = kind !== undefined && kind !== 'disabled';
    return {
      model: model.id,
      max_tokens: Math.min(maxTokens, refuses.maxTokens ?? maxTokens),
      ...messagesPrompt(prompt),
      ...messagesTools(request, !refuses.forcedTool && kind !== 'enabled'),
      // Claude takes no temperature while it thinks, and none above 1.
      ...(temperature !== undefined &&
        !refuses.temperature &&
        !thinks && { temperature: Math.min(1, Math.max(0, temperature)) }),
      ...thoughts,
      ...(serviceTier === 'fast' && { speed: 'fast' }),
      ...(sessionId !== undefined && { metadata: { user_id: sessionId } }),
      stream: true,
    };
  },
  mender: () => new MessagesMender(),
  reader: (answer) => new MessagesReader(answer),
  cacheMark: cacheControl,
  toolCallId: plainId,
  returnThinking: signedThinking.returnThinking,
};

/** Whether and how the model thinks: by an effort, or by a budget of tokens that are part of the answer's limit. */
function thinking(request: LimitedRequest): Fields {
  const { model, thinking: level = 'off' } = request;
  if (!model.reasoning) return {};
  const refuses = refusalsOf(model.id);
  const adaptive = quirk(request, 'adaptiveThinking', 'boolean') ?? thinksAdaptively(model.id);
  // The API refuses to think when a tool is forced.
  if (level === 'off' || forcesTool(request)) return adaptive ? resting(refuses.noThinking) : {};
  if (adaptive)
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: claudeEffort(model.id, level) },
    };
  const budget_tokens = thinkingBudget(request);
  if (budget_tokens === 0) return {};
  return { thinking: refuses.budget ? { type: 'adaptive' } : { type: 'enabled', budget_tokens } };
}

function resting(cannot: boolean | 'between-tools' | undefined): Fields {
  if (cannot === 'between-tools') return { thinking: { type: 'between_tools' } };
  return cannot ? {} : { thinking: { type: 'disabled' } };
}
