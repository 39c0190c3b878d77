import { definePlugin } from '@tenon/kernel';
import { accounts } from './api.ts';

/** Accounts of the coding CLIs: several per vendor, rotated, kept as the credentials of models are. */
export default definePlugin({
  id: 'accounts',
  defines: [accounts],
  activate() {},
});
