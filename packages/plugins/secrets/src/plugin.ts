import { join } from 'node:path';
import { modelRequest, streamFilters } from '@tenon/agent/api';
import { folders } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { sessionPersist } from '@tenon/sessions/api';
import { MaskedParts } from './masked-parts.ts';
import { Masker } from './masker.ts';
import { restoreStream } from './restore-stream.ts';
import { credentialRules, environmentRules, fileRules } from './secret-list.ts';

interface Config {
  readonly enabled: boolean;
  readonly environment: boolean;
  readonly detect: boolean;
}

/** Masks what goes out, restores what comes back. */
export default definePlugin({
  id: 'secrets',
  config: Type.Unsafe<Config>({}),
  needs: { folders },
  async activate(ctx) {
    const { config, project } = ctx.needs.folders;
    const warn = (error: Parameters<typeof ctx.report>[0]) => ctx.report(error, 'warning');
    const { enabled, environment, detect } = ctx.config;
    const own = enabled ? await fileRules(join(config, 'secrets.yml'), { fromProject: false, warn }) : [];
    const projects =
      enabled && project !== undefined
        ? await fileRules(join(project, 'secrets.yml'), { fromProject: true, warn })
        : [];
    const masker = new Masker([
      ...(enabled && environment ? environmentRules(process.env) : []),
      ...projects,
      ...own,
      ...(enabled && detect ? credentialRules() : []),
    ]);
    const parts = new MaskedParts(masker);
    ctx.on(modelRequest, (request) => ({
      ...request,
      systemPrompt: parts.text(request.systemPrompt),
      messages: request.messages.map((message) => parts.message(message)),
      tools: request.tools.map((tool) => parts.tool(tool)),
    }));
    ctx.on(sessionPersist, ({ session, entry }) => ({ session, entry: parts.entry(entry) }));
    ctx.contribute(streamFilters, 'secrets', { filter: (stream) => restoreStream(stream, masker) });
  },
});
