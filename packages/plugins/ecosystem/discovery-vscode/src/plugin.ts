import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what VS Code has: MCP servers, settings, prompts of the user. */
export default definePlugin({
  id: 'discovery-vscode',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
