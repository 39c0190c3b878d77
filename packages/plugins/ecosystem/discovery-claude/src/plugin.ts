import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what Claude Code has: CLAUDE.md, `.claude`, MCP servers, installed plugins. */
export default definePlugin({
  id: 'discovery-claude',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
