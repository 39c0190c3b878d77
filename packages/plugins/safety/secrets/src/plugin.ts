import { join } from 'node:path';
import { modelRequest, streamFilters } from '@tenon/agent/api';
import { counted } from '@tenon/wording';
import { folders } from '@tenon/host';
import { type DoctorFinding, doctorChecks } from '@tenon/doctor/api';
import { definePlugin, Type } from '@tenon/kernel';
import { sessionPersist } from '@tenon/sessions/api';
import { MaskedParts } from './masked-parts.ts';
import { Masker } from './masker.ts';
import { restoreStream } from './restore-stream.ts';
import { credentialRules, environmentRules, fileRules, type SecretRule } from './secret-list.ts';
import type { SecretsSettings } from './generated/settings.ts';

/** Masks what goes out, restores what comes back. */
export default definePlugin({
  id: 'secrets',
  config: Type.Unsafe<SecretsSettings>({}),
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
    const rules = [
      ...(enabled && environment ? environmentRules(process.env) : []),
      ...projects,
      ...own,
      ...(enabled && detect ? credentialRules() : []),
    ];
    const masker = new Masker(rules);
    const parts = new MaskedParts(masker);
    ctx.on(modelRequest, (request) => ({
      ...request,
      systemPrompt: parts.text(request.systemPrompt),
      messages: request.messages.map((message) => parts.message(message)),
      tools: request.tools.map((tool) => parts.tool(tool)),
    }));
    ctx.on(sessionPersist, ({ session, entry }) => ({ session, entry: parts.entry(entry) }));
    // A list that cannot be read keeps this plugin from starting, and that is what the doctor then tells.
    ctx.contribute(doctorChecks, 'secrets', { run: () => Promise.resolve([findingOf(enabled, rules)]) });
    ctx.contribute(streamFilters, 'secrets', { filter: (stream) => restoreStream(stream, masker) });
  },
});

function findingOf(enabled: boolean, rules: readonly SecretRule[]): DoctorFinding {
  if (!enabled)
    return {
      name: 'masking',
      status: 'warning',
      text: 'off: models and session files get secrets as they are',
      next: 'Turn it on with `tenon config set secrets.enabled true`.',
    };
  const values = rules.filter(({ match }) => typeof match === 'string').length;
  const text = `${counted(values, 'known value')}, ${counted(rules.length - values, 'pattern')}`;
  return { name: 'masking', status: 'ok', text };
}
