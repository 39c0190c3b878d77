/** A model with a bigger window, instead of a shorter conversation. */
import type { Model } from '@tenon/models/api';
import type { AgentHost } from '../host.ts';
import { thresholdFor } from './policy.ts';

/** The first of the configured models that can be used, understands as much as the current one, and has room for the conversation. */
export async function roomierModel(host: AgentHost, current: Model, tokens: number): Promise<Model | undefined> {
  const { promoteTo } = host.config.compaction;
  if (promoteTo.length === 0) return undefined;
  const usable = new Set(
    (await host.needs.models.list()).flatMap(({ available, provider, id }) => (available ? [`${provider}/${id}`] : [])),
  );
  for (const pattern of promoteTo) {
    const model = (await host.needs.models.find(pattern))?.model;
    if (!model || !usable.has(`${model.provider}/${model.id}`)) continue;
    const isBigger = model.contextWindow > current.contextWindow;
    const understands = current.input.every((kind) => model.input.includes(kind));
    if (isBigger && understands && tokens < thresholdFor(model.contextWindow, host.config.compaction)) return model;
  }
  return undefined;
}
