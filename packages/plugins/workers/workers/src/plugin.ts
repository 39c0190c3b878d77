import { definePlugin } from '@tenon/kernel';
import { workerRegistry, workers } from './api.ts';

/** Other coding CLIs as workers: how each is started, resumed and understood. */
export default definePlugin({
  id: 'workers',
  defines: [workerRegistry, workers],
  activate() {},
});
