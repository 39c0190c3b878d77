import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';

/** Runs and workflows over several hosts, on PostgreSQL. */
export default definePlugin({
  id: 'fleet',
  needs: { folders },
  activate() {},
});
