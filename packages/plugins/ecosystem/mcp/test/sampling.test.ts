import type { ModelRegistry } from '@tenon/models/api';
import { MODEL, scriptedModels } from '@tenon/test-kit/scripted-models';
import { describe, expect, it } from 'vitest';
import { sample } from '../src/connection/sampling.ts';

const lead = { ...MODEL, provider: 'chosen', id: 'lead' };
const small = { ...MODEL, provider: 'chosen', id: 'small' };
const stranger = { ...MODEL, provider: 'stranger', id: 'claude' };

/** Asks as a server does; gives who answered, and beside which model a role was asked for. */
async function asked(modelPreferences: object, leading: typeof lead | undefined) {
  const { registry, requests } = scriptedModels([{ text: 'yes' }], { models: [stranger, lead, small] });
  const beside: unknown[] = [];
  const forRole: ModelRegistry['forRole'] = async (role, options) => (
    beside.push([role, options?.beside?.id]),
    { model: small }
  );
  const host = {
    policy: 'allow' as const,
    models: async () => ({ ...registry, forRole }),
    leadingModel: async () => leading,
    userInterface: async () => undefined,
  };
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'What did the tool say?' } }];
  const params = { messages, maxTokens: 10, modelPreferences };
  await sample(host, { server: 's', cwd: '/' }, params, new AbortController().signal);
  const [request] = requests;
  return { model: `${request?.model.provider}/${request?.model.id}`, beside };
}

describe('the model that answers a server', () => {
  it('is the one that leads the conversation, or one beside it', async () => {
    expect(await asked({}, lead)).toEqual({ model: 'chosen/lead', beside: [] });
    expect(await asked({ speedPriority: 1 }, lead)).toEqual({ model: 'chosen/small', beside: [['small', 'lead']] });
  });

  it('is of no other provider because the server wishes for one', async () => {
    expect(await asked({ hints: [{ name: 'claude' }] }, lead)).toMatchObject({ model: 'chosen/lead' });
    expect(await asked({ hints: [{ name: 'claude' }, { name: 'small' }] }, lead)).toMatchObject({
      model: 'chosen/small',
    });
    expect(await asked({ hints: [{ name: 'claude' }] }, undefined)).toMatchObject({ model: 'stranger/claude' });
  });
});
