import { definePlugin } from '@tenon/kernel';
import { models, providers } from '@tenon/models/api';
import { OFFLINE_MODEL } from './api.ts';
import { createOfflineProvider } from './provider.ts';

/** A model without a model: rules that turn plain requests into tool calls. */
export default definePlugin({
  id: 'offline',
  activate(ctx) {
    ctx.contribute(providers, 'offline', createOfflineProvider());
    ctx.contribute(models, 'offline/rules', OFFLINE_MODEL);
  },
});
