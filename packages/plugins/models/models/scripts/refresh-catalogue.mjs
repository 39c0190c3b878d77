// Makes src/generated/catalogue.json from the price list of @pydantic/genai-prices (MIT) and the rules below.
// Run it after updating that package: npm install @pydantic/genai-prices@latest && node scripts/refresh-catalogue.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { findProvider } from '@pydantic/genai-prices';

/** Our provider -> theirs, and which of its models are of use to an agent. */
const SOURCES = {
  anthropic: { from: 'anthropic', take: /^claude-(3-7|3-5-haiku|opus|sonnet|haiku|fable)/ },
  openai: { from: 'openai', take: /^(gpt-(4\.1|4o$|4o-mini$|5|6)|o[34])/ },
  google: { from: 'google', take: /^gemini-(2\.5|3)/, context: 1_048_576 },
  'amazon-bedrock': {
    from: 'aws',
    take: /^(global\.anthropic\.claude|(global\.)?amazon\.nova-(2-lite|lite|micro|premier|pro))/,
  },
  xai: { from: 'x-ai', take: /^grok-(4|code|build)/ },
  groq: { from: 'groq', take: /gpt-oss|qwen3|kimi|llama-4|llama-3\.3/ },
  cerebras: { from: 'cerebras', take: /./ },
  deepseek: { from: 'deepseek', take: /^deepseek-(chat|reasoner|v4)/ },
  mistral: { from: 'mistral', take: /^(mistral-(large|medium|small)|devstral|codestral|magistral)/ },
  moonshot: { from: 'moonshotai', take: /^kimi/ },
  minimax: { from: 'minimax', take: /^(MiniMax-M|minimax-m3)/ },
  zai: { from: 'zai', take: /./, id: (id) => id.toLowerCase() },
  openrouter: {
    from: 'openrouter',
    take: /^(anthropic|openai|google|x-ai|deepseek|moonshotai|qwen|z-ai|minimax|mistralai)\/(claude-(3\.7|opus|sonnet|haiku|fable)|gpt-(4\.1|5|6|oss)|gemini-(2\.5|3)|grok-4|deepseek-v|kimi-k|qwen3|glm-|minimax-m|devstral|mistral-(large|medium))/,
  },
};

/** Models for other ends: pictures, voices, search, fine-tuning. */
const SKIP =
  /image|audio|realtime|transcribe|tts|live|search|deep-research|voice|embed|guard|:free|:extended|^ft:|-chat$|multi-agent/i;

const REASONING =
  /claude-(3-7|3\.7|opus|sonnet|haiku-4|haiku-[5-9]|fable)|gpt-(5|6|oss)|(^|\/)o[34]|gemini-(2\.5|3)|grok-(3-mini|4(?!.*non-reasoning)|code|build)|reasoner|deepseek-v(3\.[12]|4)|kimi-k(2\.|2-thinking|3)|qwen3|qwen-3|glm-(4\.[5-9]|[5-9])|minimax-m|magistral/i;
const IMAGES =
  /claude|gpt-(4|5(?!\.\d-codex-mini)|6)|(^|\/)o[34](?!-mini)|o4-mini|gemini|grok-4|llama-4|nova-(2-lite|lite|pro|premier)|mistral-(medium|small|large)|kimi-k(2\.[5-9]|3)|gemma|pixtral/i;

/** The longest answer; the first rule that fits. */
const MAX_TOKENS = [
  [/claude-(opus|sonnet)-4[-.][6-9]|claude-(opus|sonnet|haiku|fable)-[5-9]/, 128_000],
  [/claude-opus-4-[01]|claude-opus-4-2025|claude-opus-4(\.1)?$/, 32_000],
  [/claude-3-5-haiku/, 8192],
  [/claude/, 64_000],
  [/gpt-[56]/, 128_000],
  [/gpt-4\.1/, 32_768],
  [/gpt-4o/, 16_384],
  [/(^|\/)o[34]/, 100_000],
  [/gemini/, 65_536],
  [/deepseek-(chat|v3)/, 8192],
  [/nova/, 10_000],
];

const today = new Date().toISOString().slice(0, 10);

function currentPrices(prices) {
  if (!Array.isArray(prices)) return prices;
  const valid = prices.filter(({ constraint }) => constraint === undefined || (constraint.start_date ?? '9') <= today);
  return (valid.at(-1) ?? prices[0]).prices;
}

/** Long prompts cost more at some providers; the catalogue keeps the price of ordinary ones. */
const amount = (price) => (typeof price === 'object' ? price.base : price);
const tidy = (price) => Number((price ?? 0).toPrecision(6));

function entry(id, model, context) {
  const prices = currentPrices(model.prices);
  const input = amount(prices.input_mtok);
  const output = amount(prices.output_mtok);
  if (input === undefined || output === undefined || context === undefined) return undefined;
  const limit = MAX_TOKENS.find(([pattern]) => pattern.test(id))?.[1] ?? Math.min(32_768, Math.floor(context / 4));
  return {
    id,
    name: model.name ?? id,
    contextWindow: context,
    maxTokens: Math.min(limit, context),
    input: IMAGES.test(id) ? ['text', 'image'] : ['text'],
    reasoning: REASONING.test(id),
    price: {
      input: tidy(input),
      output: tidy(output),
      cacheRead: tidy(amount(prices.cache_read_mtok) ?? input),
      cacheWrite: tidy(amount(prices.cache_write_mtok) ?? input),
    },
  };
}

const models = {};
for (const [provider, { from, take, context, id: rename = (id) => id }] of Object.entries(SOURCES)) {
  const source = findProvider({ providerId: from });
  if (!source) throw new Error(`genai-prices no longer knows the provider "${from}"`);
  models[provider] = source.models
    .filter((model) => take.test(model.id) && !SKIP.test(model.id) && !model.deprecated)
    .map((model) => entry(rename(model.id), model, model.context_window ?? context))
    .filter((model) => model !== undefined);
  if (models[provider].length === 0) throw new Error(`no model of "${from}" is left`);
}

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.resolve('@pydantic/genai-prices')), 'utf8'),
);
const lines = Object.entries(models).map(
  ([provider, list]) =>
    `    ${JSON.stringify(provider)}: [\n${list.map((model) => `      ${JSON.stringify(model)}`).join(',\n')}\n    ]`,
);
const text = `{\n  "source": "@pydantic/genai-prices ${version}",\n  "date": "${today}",\n  "models": {\n${lines.join(',\n')}\n  }\n}\n`;
writeFileSync(new URL('../src/generated/catalogue.json', import.meta.url), text);
process.stdout.write(`${Object.values(models).flat().length} models of ${Object.keys(models).length} providers\n`);
