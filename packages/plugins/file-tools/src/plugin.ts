import { folders } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { type Tool, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { fileChanges, fileViews } from './api.ts';
import { createChanges } from './changes.ts';
import { createEditTool } from './edit/edit-tool.ts';
import type { FileToolsConfig, FileToolsHost } from './host.ts';
import { createReadTool } from './read/read-tool.ts';
import { createViews } from './views.ts';
import { createWriteTool } from './write-tool.ts';

/** The tools for files, and the services that other tools share with them. */
export default definePlugin({
  id: 'file-tools',
  config: Type.Unsafe<FileToolsConfig>({}),
  needs: { folders },
  defines: [fileViews, fileChanges],
  activate(ctx) {
    const views = createViews();
    const changes = createChanges({
      views,
      invalidate: async (path) => void (await loadAccelerator('scan')).invalidate(path),
    });
    ctx.provide(fileViews, views);
    ctx.provide(fileChanges, changes);
    const host: FileToolsHost = {
      config: ctx.config,
      folders: ctx.needs.folders,
      views,
      changes,
      accelerator: (name) => loadAccelerator(name),
      urls: () => ctx.find(urlRouter),
    };
    const contribute = (name: string, tool: Tool) => ctx.contribute(tools, name, tool);
    contribute('read', createReadTool(host));
    contribute('write', createWriteTool(host));
    contribute('edit', createEditTool(host));
  },
});
