import { folders } from '@tenon/host';
import { archives, databases, documents } from '@tenon/documents/api';
import { definePlugin, installedPlugins, TenonError, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { protectedPlacesOf } from '@tenon/sandbox/api';
import { type Tool, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { type EditMode, editModes, editPreview, editTools, fileChanges, filesWritten, fileViews } from './api.ts';
import { createChanges } from './changes.ts';
import { createEditPreview } from './edit/edit-preview.ts';
import { createEditTool } from './edit/edit-tool.ts';
import { createEditTools, findMode } from './edit/edit-tools.ts';
import { withModelModes } from './edit/model-modes.ts';
import { builtinModes } from './edit/modes.ts';
import type { FileToolsHost } from './host.ts';
import { createReadTool } from './read/read-tool.ts';
import { createViews } from './views.ts';
import { createWriteTool } from './write-tool.ts';
import type { FileToolsSettings } from './generated/settings.ts';

/** The tools for files, and the services that other tools share with them. */
export default definePlugin({
  id: 'file-tools',
  config: Type.Unsafe<FileToolsSettings>({}),
  needs: { folders, installed: installedPlugins },
  defines: [fileViews, fileChanges, editModes, editTools, editPreview, filesWritten],
  async activate(ctx) {
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
      places: () => protectedPlacesOf(ctx.needs.installed.manifests()),
      views,
      changes,
      async written(files, signal) {
        try {
          const written = await ctx.run(filesWritten, files, signal);
          const shown = await views.editor?.written(written.session, written.files);
          return shown ? { ...written, files: shown } : written;
        } catch (fault) {
          // The files are written; whoever cancels now only waits no longer for what others say about them.
          if (!signal.aborted) throw fault;
          return files;
        }
      },
      accelerator: (name) => loadAccelerator(name),
      urls: () => ctx.findOptional(urlRouter),
      documents: () => ctx.find(documents),
      archives: () => ctx.find(archives),
      databases: () => ctx.find(databases),
    };
    const contribute = (name: string, tool: Tool) => ctx.contribute(tools, name, tool);
    contribute('read', createReadTool(host));
    contribute('write', createWriteTool(host));
    const registry = ctx.read(editModes);
    const modes = builtinModes(() => loadAccelerator('hashline'));
    for (const [name, mode] of Object.entries(modes)) ctx.contribute(editModes, name, mode);
    ctx.provide(editTools, createEditTools({ ...host, registry }));
    ctx.provide(editPreview, createEditPreview({ ...host, registry }));
    const { mode: standard, modelModes } = ctx.config.edit;
    const forms = new Map<string, Tool>();
    for (const name of new Set(Object.values(modelModes))) forms.set(name, createEditTool(host, await modeOf(name)));
    contribute('edit', withModelModes(createEditTool(host, await modeOf(standard)), forms, modelModes));

    /** A mode of somebody else starts its plugin. A setting that names none must not cost the user the other tools. */
    async function modeOf(mode: string): Promise<EditMode> {
      const own = modes[mode];
      if (own) return own;
      try {
        return await findMode(registry, mode);
      } catch (fault) {
        if (!(fault instanceof TenonError)) throw fault;
        ctx.report(fault, 'warning');
        return modes['hashline'] as EditMode;
      }
    }
  },
});
