import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import catalogue from '../src/generated/catalogue.json' with { type: 'json' };
import { type ListedModel, selectModel } from '../src/selection.ts';

const listed = (provider: string, id: string, more: Partial<ListedModel> = {}): ListedModel => ({
  provider,
  id,
  name: id,
  api: 'x',
  contextWindow: 1,
  maxTokens: 1,
  input: ['text'],
  reasoning: true,
  available: true,
  ...more,
});
const all = Object.entries(catalogue.models).flatMap(([provider, models]) =>
  models.map(({ id, name }) => listed(provider, id, { name })),
);

/** The version in a display name, which vendors write in one way: "Claude Sonnet 3.7". xAI counts in decimals. */
function spoken({ name }: ListedModel): number {
  const [, major = '0', minor = '0'] = /(?<![\d.])(\d{1,2})(?:[.-](\d{1,2})(?![\dBb]))?(?![\dBb])/.exec(name) ?? [];
  return /grok/i.test(name) ? Number(`${major}.${minor}`) : Number(major) * 1000 + Number(minor);
}

/** The words of a display name without its version. */
function family({ name }: ListedModel): string {
  return (name.toLowerCase().match(/[a-z]+/g) ?? []).join(' ');
}

describe('the alias of a family', () => {
  it.each([
    ['anthropic', 'sonnet', 'claude-sonnet-5'],
    ['anthropic', 'haiku', 'claude-haiku-4-5'],
    ['anthropic', 'opus', 'claude-opus-5-5'],
    ['anthropic', 'claude-sonnet', 'claude-sonnet-5'],
    ['anthropic', 'sonnet-4', 'claude-sonnet-4-6'],
    ['anthropic', 'claude-4.6-opus', 'claude-opus-4-6'],
    ['openai', 'mini', 'gpt-5.4-mini'],
    ['openai', 'codex', 'gpt-5.3-codex'],
    ['openai', 'gpt-mini', 'gpt-5.4-mini'],
    ['google', 'flash', 'gemini-3.8-flash'],
    ['google', 'flash-lite', 'gemini-3.5-flash-lite'],
    ['google', 'gemini-pro', 'gemini-3.1-pro-preview'],
    ['amazon-bedrock', 'sonnet', 'global.anthropic.claude-sonnet-5-v1:0'],
    ['amazon-bedrock', 'claude-sonnet-4.5', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['xai', 'grok', 'grok-4.6'],
    ['xai', 'grok-fast', 'grok-4-1-fast-reasoning'],
    ['mistral', 'codestral-', 'codestral-2508'],
    ['mistral', 'mistral-small', 'mistral-small-2603'],
    ['moonshot', 'kimi', 'kimi-k3'],
    ['minimax', 'minimax', 'minimax-m3'],
    ['zai', 'glm', 'glm-5.3'],
    ['deepseek', 'deepseek', 'deepseek-v4-pro'],
    ['openrouter', 'sonnet', 'anthropic/claude-sonnet-5'],
    ['openrouter', 'claude-opus-4-8', 'anthropic/claude-opus-4.8'],
    ['openrouter', 'qwen-max', 'qwen/qwen3.7-max'],
    ['openrouter', 'mistral-large', 'mistralai/mistral-large-2512'],
  ])('with a key of %s, "%s" is %s', (provider, alias, id) => {
    const models = all.map((model) => ({ ...model, available: model.provider === provider }));
    expect(selectModel(models, alias)).toMatchObject({ provider, id });
    expect(selectModel(models, `${provider}/${alias}`)).toMatchObject({ provider, id });
  });

  it('is the newest of its family in the whole catalogue, whoever serves it', () => {
    let families = 0;
    for (const provider of Object.keys(catalogue.models)) {
      const own = all.filter((model) => model.provider === provider);
      const words = own.flatMap(({ id }) => id.toLowerCase().match(/[a-z]{2,}/g) ?? []);
      for (const word of new Set(words)) {
        // These say how an id is kept, not which model it is.
        if (/^(?:latest|preview|exp|global)$/.test(word)) continue;
        const chosen = selectModel(own, `${provider}/${word}`);
        expect(chosen?.id.toLowerCase(), word).toContain(word);
        if (!chosen) continue;
        const kin = own.filter((model) => family(model) === family(chosen));
        if (kin.length > 1) families += 1;
        expect(spoken(chosen), `${provider}: ${word} is ${chosen.id}`).toBe(Math.max(...kin.map(spoken)));
      }
    }
    expect(families).toBeGreaterThan(30);
  });

  it('is the newest of its family in every spelling, in any order of the list', () => {
    const version = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 12 }));
    const spelling = fc.constantFrom(...Object.keys(SPELLINGS));
    const served = fc.uniqueArray(fc.record({ version, spelling }), {
      minLength: 2,
      maxLength: 8,
      selector: ({ version, spelling }) => `${version} ${spelling}`,
    });
    const tier = fc.constantFrom('sonnet', 'haiku', 'opus');
    fc.assert(
      fc.property(served, tier, (entries, wanted) => {
        const models = entries.flatMap(({ version: [major, minor], spelling }) =>
          ['sonnet', 'haiku', 'opus'].map((tier) => ({
            ...listed('p', SPELLINGS[spelling]?.(tier, major, minor) ?? ''),
            age: major * 100 + minor,
            dated: /20\d{6}/.test(SPELLINGS[spelling]?.(tier, major, minor) ?? ''),
          })),
        );
        const chosen = selectModel(models, wanted);
        const newest = Math.max(...models.map(({ age }) => age));
        const candidates = models.filter(({ id, age }) => id.includes(wanted) && age === newest);
        expect(candidates.map(({ id }) => id)).toContain(chosen?.id);
        expect(chosen?.dated, chosen?.id).toBe(candidates.every(({ dated }) => dated));
      }),
    );
  });
});

/** How the same model is called by those who serve it. */
const SPELLINGS: Record<string, (tier: string, major: number, minor: number) => string> = {
  dashes: (tier, major, minor) => `claude-${tier}-${major}-${minor}`,
  dots: (tier, major, minor) => `claude-${tier}-${major}.${minor}`,
  versionFirst: (tier, major, minor) => `claude-${major}-${minor}-${tier}`,
  latest: (tier, major, minor) => `claude-${major}-${minor}-${tier}-latest`,
  snapshot: (tier, major, minor) => `claude-${tier}-${major}-${minor}-20250929`,
  vertex: (tier, major, minor) => `claude-${tier}-${major}-${minor}@20251001`,
  bedrock: (tier, major, minor) => `us.anthropic.claude-${tier}-${major}-${minor}-20250929-v1:0`,
  bedrockUndated: (tier, major, minor) => `global.anthropic.claude-${tier}-${major}-${minor}-v1`,
  router: (tier, major, minor) => `anthropic/claude-${tier}-${major}.${minor}`,
  fireworks: (tier, major, minor) => `accounts/fireworks/models/claude-${tier}-${major}p${minor}`,
  preview: (tier, major, minor) => `claude-${tier}-${major}-${minor}-preview`,
};

describe('a name that a provider without a key has', () => {
  it('is the same model of a provider with a key, and never another model', () => {
    const models = [
      listed('openai', 'gpt-5', { available: false }),
      listed('openrouter', 'openai/gpt-5'),
      listed('openrouter', 'openai/gpt-5.5'),
      listed('anthropic', 'claude-opus-5', { available: false }),
      listed('openrouter', 'anthropic/claude-opus-5.5'),
    ];
    expect(selectModel(models, 'gpt-5')?.id).toBe('openai/gpt-5');
    expect(selectModel(models, 'openai/gpt-5')?.provider).toBe('openai');
    expect(selectModel(models, 'claude-opus-5')?.provider).toBe('anthropic');
  });

  it('takes whole words for more than parts of words: "mini" is not in "gemini"', () => {
    const models = [listed('google', 'gemini-3.8-flash'), listed('openrouter', 'openai/gpt-5.4-mini')];
    expect(selectModel(models, 'mini')?.provider).toBe('openrouter');
  });

  it('takes an alias without a version for the newest', () => {
    const models = ['mistral-large-2411', 'mistral-large-latest', 'mistral-large-2512'].map((id) => listed('m', id));
    expect(selectModel(models, 'large')?.id).toBe('mistral-large-latest');
  });
});
