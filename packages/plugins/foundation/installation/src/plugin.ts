import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';

/** How Tenon got here: updates, rollback, removal. */
export default definePlugin({
  id: 'installation',
  needs: { folders },
  activate() {},
});
