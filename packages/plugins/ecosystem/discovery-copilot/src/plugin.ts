import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what GitHub Copilot has: instructions, prompts, agents and skills in `.github`. */
export default definePlugin({
  id: 'discovery-copilot',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
