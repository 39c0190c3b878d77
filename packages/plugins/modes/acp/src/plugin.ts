import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';

/** Tenon inside editors: the Agent Client Protocol. */
export default definePlugin({
  id: 'acp',
  needs: { folders },
  activate() {},
});
