import { definePlugin } from '@tenon/kernel';
import { validation } from './api.ts';

/** Builds and tests what a worker has changed: finds the commands of the project and runs them. */
export default definePlugin({
  id: 'validation',
  defines: [validation],
  activate() {},
});
