import { folders } from '@tenon/command-line/api';
import { fileChanges, fileViews } from '@tenon/file-tools/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { tools } from '@tenon/tools/api';
import { pendingActions } from './api.ts';
import { createAstEditTool } from './ast-edit-tool.ts';
import { createAstGrepTool } from './ast-grep-tool.ts';
import type { SyntaxToolsConfig, SyntaxToolsHost } from './host.ts';
import { createPendingActions } from './pending.ts';
import { createResolveTool } from './resolve-tool.ts';

/** The tools that work on the structure of code, and the one that decides about previews. */
export default definePlugin({
  id: 'syntax-tools',
  config: Type.Unsafe<SyntaxToolsConfig>({}),
  needs: { folders, views: fileViews, changes: fileChanges },
  defines: [pendingActions],
  activate(ctx) {
    const pending = createPendingActions();
    ctx.provide(pendingActions, pending);
    const { views, changes } = ctx.needs;
    const host: SyntaxToolsHost = {
      config: ctx.config,
      folders: ctx.needs.folders,
      views,
      changes,
      pending,
      accelerator: (name) => loadAccelerator(name),
    };
    ctx.contribute(tools, 'ast_grep', createAstGrepTool(host));
    ctx.contribute(tools, 'ast_edit', createAstEditTool(host));
    ctx.contribute(tools, 'resolve', createResolveTool(host));
  },
});
