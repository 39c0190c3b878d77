import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { fileChanges, filesWritten } from '@tenon/file-tools/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { sandboxes } from '@tenon/sandbox/api';
import { pendingActions } from '@tenon/syntax-tools/api';
import { toolRunner, tools } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import manifest from '../package.json' with { type: 'json' };
import { languageServers, languageServerSources } from './api.ts';
import { errors } from './errors.ts';
import type { LspSettings } from './generated/settings.ts';
import type { LspHost } from './host.ts';
import { FoundServers } from './servers/found-servers.ts';
import type { ServerDesk } from './servers/desk.ts';
import { createLspTool } from './tool/lsp-tool.ts';

/** What language servers know, for the model and inside the results of edits. */
export default definePlugin({
  id: 'lsp',
  config: Type.Unsafe<LspSettings>({}),
  needs: { folders },
  defines: [languageServers, languageServerSources],
  activate(ctx) {
    const host: LspHost = {
      config: ctx.config,
      folders: ctx.needs.folders,
      log: ctx.log,
      env: process.env,
      servers: ctx.read(languageServers),
      found: new FoundServers(ctx.read(languageServerSources)),
      sandboxes: () => ctx.findOptional(sandboxes),
      trust: () => ctx.findOptional(workspaceTrust),
      changes: () => ctx.find(fileChanges),
      runner: () => ctx.find(toolRunner),
      pending: () => ctx.findOptional(pendingActions),
    };
    // Every edit starts this plugin, and most files have no server: what starts servers is loaded with the first one.
    let made: Promise<ServerDesk> | undefined;
    const desk = (): Promise<ServerDesk> => {
      if (ctx.signal.aborted) throw errors.create('LSP_CLOSED');
      made ??= import('./servers/desk.ts').then(({ ServerDesk }) => new ServerDesk(host));
      return made;
    };
    ctx.defer(async () => (await made)?.pool.close());
    for (const [name, data] of Object.entries(manifest.tenon.contributes['language-servers']))
      ctx.contribute(languageServers, name, data);
    ctx.contribute(tools, 'lsp', createLspTool(host, desk));
    ctx.on(filesWritten, async (written, { signal }) => {
      const { afterWriting } = await import('./written/after-writing.ts');
      return afterWriting({ host, desk }, written, signal);
    });
    ctx.contribute(cliCommands, 'lsp status', {
      run: async (call) => (await import('./command/commands.ts')).showStatus(await desk(), call),
    });
    ctx.contribute(doctorChecks, 'lsp', {
      run: async () => (await import('./command/doctor.ts')).findings(await desk(), host.folders.cwd),
    });
  },
});
