import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';

/** Questions, approvals and threads reach a person where they are: Discord, Telegram, Slack, webhooks, ntfy, the desktop. */
export default definePlugin({
  id: 'channels',
  needs: { folders },
  activate() {},
});
