import { definePlugin } from '@tenon/kernel';
import { runs, runEvent, runOutput, runStores } from './api.ts';

/** Runs of workers: recorded first, detached, followed, answered, retried, taken over. */
export default definePlugin({
  id: 'runs',
  defines: [runs, runEvent, runOutput, runStores],
  activate() {},
});
