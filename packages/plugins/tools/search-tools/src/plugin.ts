import { folders } from '@tenon/host';
import { fileViews } from '@tenon/file-tools/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { createFindTool } from './find-tool.ts';
import type { SearchToolsHost } from './host.ts';
import { createSearchTool } from './search-tool.ts';
import type { SearchToolsSettings } from './generated/settings.ts';

/** The tools that find files by name and by text. */
export default definePlugin({
  id: 'search-tools',
  config: Type.Unsafe<SearchToolsSettings>({}),
  needs: { folders, views: fileViews, urls: urlRouter },
  activate(ctx) {
    const host: SearchToolsHost = {
      config: ctx.config,
      folders: ctx.needs.folders,
      views: ctx.needs.views,
      urls: ctx.needs.urls,
      accelerator: (name) => loadAccelerator(name),
    };
    ctx.contribute(tools, 'find', createFindTool(host));
    ctx.contribute(tools, 'search', createSearchTool(host));
  },
});
