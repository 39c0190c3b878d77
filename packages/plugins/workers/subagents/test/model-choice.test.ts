import type { Model } from '@tenon/models/api';
import { describe, expect, it } from 'vitest';
import { chooseModel } from '../src/model-choice.ts';

const model = (provider: string, id: string): Model => ({
  provider,
  id,
  name: id,
  api: 'x',
  contextWindow: 1,
  maxTokens: 1,
  input: ['text'],
  reasoning: true,
});
const parent = model('anthropic', 'claude-opus-5');
const all = [
  parent,
  model('anthropic', 'claude-haiku-5'),
  model('anthropic', 'claude-sonnet-5'),
  model('openai', 'gpt-6'),
];

/** As the registry does it: a provider alone is looked at when it is named. */
const models = {
  find: async (pattern: string) => {
    const [name = '', level] = pattern.split(':');
    const [provider, id] = name.includes('/') ? name.split('/') : ['', name];
    const found = all.find((one) => (provider === '' || one.provider === provider) && one.id.includes(id ?? ''));
    return found && { model: found, ...(level === 'low' && { thinking: 'low' as const }) };
  },
  forRole: async (role: string, options?: { beside?: Model }) => {
    expect(options?.beside).toBe(parent);
    return { model: role === 'small' ? (all[1] ?? parent) : parent };
  },
};
const choose = async (wish: Partial<Parameters<typeof chooseModel>[1]>) => {
  const { model: chosen, thinking, warning } = await chooseModel(models, { parent, parentThinking: 'medium', ...wish });
  return [`${chosen.provider}/${chosen.id}`, thinking, ...(warning === undefined ? [] : [warning])];
};

describe('the model of a subagent', () => {
  it('is its parent’s when nothing else is said', async () => {
    expect(await choose({})).toEqual(['anthropic/claude-opus-5', 'medium']);
    expect(await choose({ model: 'inherit', thinking: 'high' })).toEqual(['anthropic/claude-opus-5', 'high']);
    expect(await choose({ model: 'pi/default' })).toEqual(['anthropic/claude-opus-5', 'medium']);
  });

  it('is that of a role or of a family at the same provider', async () => {
    expect(await choose({ model: 'small' })).toEqual(['anthropic/claude-haiku-5', 'medium']);
    expect(await choose({ model: 'pi/smol' })).toEqual(['anthropic/claude-haiku-5', 'medium']);
    expect(await choose({ model: 'sonnet' })).toEqual(['anthropic/claude-sonnet-5', 'medium']);
    expect(await choose({ model: 'haiku:low' })).toEqual(['anthropic/claude-haiku-5', 'low']);
  });

  it('is never another provider’s because a definition says so', async () => {
    const [name, , warning] = await choose({ model: 'openai/gpt-6' });
    expect(name).toBe('anthropic/claude-opus-5');
    expect(warning).toContain('subagents.modelOverrides');
    expect((await choose({ model: 'gpt-6' }))[0]).toBe('anthropic/claude-opus-5');
    expect(await choose({ model: 'gpt-6, sonnet' })).toEqual(['anthropic/claude-sonnet-5', 'medium']);
  });

  it('is any that the user names for this subagent', async () => {
    expect(await choose({ override: 'openai/gpt-6:low', model: 'sonnet', thinking: 'high' })).toEqual([
      'openai/gpt-6',
      'low',
    ]);
    const [name, , warning] = await choose({ override: 'nobody/nothing', model: 'sonnet' });
    expect(name).toBe('anthropic/claude-sonnet-5');
    expect(warning).toContain('"nobody/nothing"');
  });
});
