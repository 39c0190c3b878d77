import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what Gemini CLI has: GEMINI.md, `.gemini`, its extensions. */
export default definePlugin({
  id: 'discovery-gemini',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
