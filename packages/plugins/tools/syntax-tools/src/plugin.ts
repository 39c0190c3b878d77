import { agentStop, liveAgents } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { fileChanges, fileViews } from '@tenon/file-tools/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { pendingActions } from './api.ts';
import { createAstEditTool } from './ast-edit-tool.ts';
import { createAstGrepTool } from './ast-grep-tool.ts';
import type { SyntaxToolsHost } from './host.ts';
import { createPendingActions } from './pending.ts';
import { prompts } from './prompts/index.ts';
import { createResolveTool } from './resolve-tool.ts';
import type { SyntaxToolsSettings } from './generated/settings.ts';

/** The tools that work on the structure of code, and the one that decides about previews. */
export default definePlugin({
  id: 'syntax-tools',
  config: Type.Unsafe<SyntaxToolsSettings>({}),
  needs: { folders, views: fileViews, changes: fileChanges, urls: urlRouter },
  defines: [pendingActions],
  activate(ctx) {
    const pending = createPendingActions(async (session) => {
      // Tools also work without agents; whoever calls them then decides about previews.
      const agent = (await ctx.findOptional(liveAgents))?.get(session);
      if (agent?.state.tools.some(({ name }) => name === 'resolve')) agent.queueToolChoice({ name: 'resolve' });
    });
    ctx.provide(pendingActions, pending);
    const { views, changes, urls } = ctx.needs;
    const host: SyntaxToolsHost = {
      config: ctx.config,
      folders: ctx.needs.folders,
      views,
      changes,
      pending,
      urls,
      accelerator: (name) => loadAccelerator(name),
    };
    ctx.contribute(tools, 'ast_grep', createAstGrepTool(host));
    ctx.contribute(tools, 'ast_edit', createAstEditTool(host));
    ctx.contribute(tools, 'resolve', createResolveTool(host));
    ctx.on(agentStop, ({ session, continues }) => {
      const waiting = session === undefined ? 0 : pending.count(session);
      return waiting > 0 && continues === 0 ? { continue: prompts.resolveFirst({ waiting }) } : undefined;
    });
  },
});
