import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what no tool owns: AGENTS.md, `mcp.json`, `.agents`. */
export default definePlugin({
  id: 'discovery-agents',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
