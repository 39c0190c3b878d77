import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what Codex has: `.codex`, its settings, hooks, prompts and plugins. */
export default definePlugin({
  id: 'discovery-codex',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
