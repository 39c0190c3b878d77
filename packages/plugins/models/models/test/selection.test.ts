import { describe, expect, it } from 'vitest';
import { newestFirst } from '../src/id-facts.ts';
import { type ListedModel, selectModel, splitThinking } from '../src/selection.ts';

const model = (provider: string, id: string, available = true): ListedModel => ({
  provider,
  id,
  name: id,
  api: 'x',
  contextWindow: 1,
  maxTokens: 1,
  input: ['text'],
  reasoning: true,
  available,
});
const MODELS = [
  model('anthropic', 'claude-sonnet-4-5'),
  model('anthropic', 'claude-sonnet-4-5-20250929'),
  model('anthropic', 'claude-sonnet-5'),
  model('anthropic', 'claude-opus-4-6'),
  model('openai', 'gpt-5.2', false),
  model('openai', 'gpt-5.10', false),
  model('openrouter', 'anthropic/claude-sonnet-5'),
  model('openrouter', 'minimax/minimax-m2.1'),
  model('ollama', 'qwen3:8b'),
  { ...model('replay', 'secret-tape'), onlyByName: true },
];
const found = (pattern: string) => {
  const hit = selectModel(MODELS, pattern);
  return hit && `${hit.provider}/${hit.id}`;
};

describe('choosing a model by what people type', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5-20250929'],
    ['sonnet', 'anthropic/claude-sonnet-5'],
    ['SONNET-4', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/*opus*', 'anthropic/claude-opus-4-6'],
    ['openai/*', 'openai/gpt-5.10'],
    ['gpt', 'openai/gpt-5.10'],
    ['openrouter/sonnet', 'openrouter/anthropic/claude-sonnet-5'],
    ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['qwen3:8b', 'ollama/qwen3:8b'],
    ['no-such-thing', undefined],
    ['minimax/minimax', 'openrouter/minimax/minimax-m2.1'],
    ['openrouter/minimax-m2', 'openrouter/minimax/minimax-m2.1'],
    // "x/m" is inside of "minimax/minimax", and means nothing of the kind.
    ['x/m', undefined],
    ['ax/minimax', undefined],
    ['anthropic/gpt', undefined],
    ['secret-tape', 'replay/secret-tape'],
    ['tape', undefined],
    ['', undefined],
  ])('%s', (pattern, expected) => {
    expect(found(pattern)).toBe(expected);
  });

  it('prefers a model with credentials', () => {
    const models = [model('a', 'gpt-5.2', false), model('b', 'gpt-5.1', true)];
    expect(selectModel(models, 'gpt')?.provider).toBe('b');
  });

  it('takes only known levels for levels', () => {
    expect(splitThinking('opus:high')).toEqual({ pattern: 'opus', thinking: 'high' });
    expect(splitThinking('qwen3:8b')).toEqual({ pattern: 'qwen3:8b' });
    expect(splitThinking('qwen3:8b:off')).toEqual({ pattern: 'qwen3:8b', thinking: 'off' });
  });

  it('orders versions by number and plain models before their variants', () => {
    const ids = ['claude-opus-4-10', 'claude-opus-4-9', 'claude-opus-5', 'gpt-5', 'gpt-5-mini', 'gpt-5.2'];
    expect([...ids].sort(newestFirst)).toEqual([
      'gpt-5.2',
      'gpt-5',
      'gpt-5-mini',
      'claude-opus-5',
      'claude-opus-4-10',
      'claude-opus-4-9',
    ]);
  });
});
