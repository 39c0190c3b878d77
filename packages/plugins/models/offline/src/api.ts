/** What other plugins may use of the offline model. */
import type { Model } from '@tenon/models/api';

export { createOfflineProvider } from './provider.ts';

/** The model that answers when there is no other. */
export const OFFLINE_MODEL: Model = {
  provider: 'offline',
  id: 'rules',
  name: 'Offline rules',
  api: 'offline',
  contextWindow: 1_000_000,
  maxTokens: 64_000,
  input: ['text'],
  reasoning: false,
  isRules: true,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
