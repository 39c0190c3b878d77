import { resolve } from 'node:path';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import {
  type Model,
  modelRegistry,
  type ModelRegistry,
  models,
  type Provider,
  providers,
  type StreamEvent,
} from '@tenon/models/api';
import manifest from '../package.json' with { type: 'json' };
import { CassetteWriter } from './cassette.ts';
import { errors } from './errors.ts';
import { failedWith } from './failure.ts';
import { playing } from './player.ts';
import { recording, type RecorderOptions } from './recorder.ts';
import type { ReplaySettings } from './generated/settings.ts';

/** Two models: one that plays a cassette, and one that asks another model and records what it answers. */
export default definePlugin({
  id: 'replay',
  config: Type.Unsafe<ReplaySettings>({}),
  needs: { folders },
  activate(ctx) {
    const { cwd } = ctx.needs.folders;
    const { match, target } = ctx.config;
    const file = resolve(cwd, ctx.config.cassette);
    const player = playing({ file, match, cwd });
    const recorder = recorderOf(target, { cassette: new CassetteWriter(file), cwd }, () => ctx.find(modelRegistry));
    const provider: Provider = {
      stream: (request, call) => (request.model.id === 'record' ? recorder : player).stream(request, call),
    };
    ctx.contribute(providers, 'replay', provider);
    for (const id of ['play', 'record'] as const) ctx.contribute(models, `replay/${id}`, modelOf(id));
  },
});

function modelOf(id: 'play' | 'record'): Model {
  const { name, api, contextWindow, maxTokens, reasoning } = manifest.tenon.contributes.models[`replay/${id}`];
  return { provider: 'replay', id, name, api, contextWindow, maxTokens, input: ['text'], reasoning };
}

/** Asks another model and records it. It is found when it is needed: the registry of models finds this plugin, too. */
function recorderOf(target: string, options: RecorderOptions, registry: () => Promise<ModelRegistry>): Provider {
  return {
    async *stream(request, call): AsyncGenerator<StreamEvent> {
      let other: Provider;
      let model: Model;
      try {
        const models = await registry();
        model = await targetOf(target, models);
        other = { stream: ({ apiKey: _unused, ...rest }, inner) => models.stream(rest, inner) };
      } catch (fault) {
        yield* failedWith(request.model, fault);
        return;
      }
      yield* recording(other, options).stream({ ...request, model }, call);
    },
  };
}

async function targetOf(target: string, registry: ModelRegistry): Promise<Model> {
  if (target === '') throw errors.create('REPLAY_NO_TARGET', { reason: '`replay.target` is not set' });
  const model = (await registry.find(target))?.model;
  if (!model) throw errors.create('REPLAY_NO_TARGET', { reason: `"${target}" is not known` });
  if (model.api === 'replay') throw errors.create('REPLAY_NO_TARGET', { reason: `"${target}" is a replay itself` });
  return model;
}
