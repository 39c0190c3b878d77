import { join } from 'node:path';
import { modelRequest } from '@tenon/agent/api';
import { counted } from '@tenon/wording';
import { folders } from '@tenon/host';
import { type DoctorFinding, doctorChecks } from '@tenon/doctor/api';
import { definePlugin, Type } from '@tenon/kernel';
import { authStore } from '@tenon/models/api';
import { sessionPersist } from '@tenon/sessions/api';
import { toolInput, toolResult } from '@tenon/tools/api';
import { secretMasks } from './api.ts';
import { MaskedParts } from './masked-parts.ts';
import { Masker } from './masker.ts';
import { Restoring } from './restoring.ts';
import { environmentRules, fileRules, keyRules, modelKeyRules, type SecretRule } from './secret-list.ts';
import type { SecretsSettings } from './generated/settings.ts';

/** Before all others: no hook and no pack gets a result with secrets in it. */
const FIRST = 1_000_000;
/** After all others: what they make of an input must not meet the real values. */
const LAST = -1_000_000;

/** Masks what goes out; puts a secret back only where it was, or where the user's rule says so. */
export default definePlugin({
  id: 'secrets',
  config: Type.Unsafe<SecretsSettings>({}),
  needs: { folders },
  defines: [secretMasks],
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
      ...projects,
      ...(enabled && environment ? environmentRules(process.env) : []),
      ...(enabled ? await modelKeyRules(join(config, 'models.yml')) : []),
      ...own,
    ];
    const masker = new Masker(rules, { detect: enabled && detect });
    const parts = new MaskedParts(masker);
    const restoring = new Restoring(masker, own);
    ctx.provide(secretMasks, {
      mask: (value) => masker.mask(value),
      maskFile: async (path) => (await import('./masked-file.ts')).maskFile(path, (text) => masker.maskText(text)),
    });

    let known = 0;
    /** Keys that models were called with since; they are read from an encrypted store when they are needed and not before. */
    const learnKeys = async () => {
      const keys = enabled ? ((await ctx.findOptional(authStore))?.used() ?? []) : [];
      if (keys.length === known) return;
      if (masker.add(keyRules(keys.slice(known)))) parts.forget();
      known = keys.length;
    };
    ctx.on(modelRequest, async (request) => {
      await learnKeys();
      return {
        ...request,
        systemPrompt: parts.text(request.systemPrompt),
        messages: request.messages.map((message) => parts.message(message)),
        tools: request.tools.map((tool) => parts.tool(tool)),
      };
    });
    ctx.on(sessionPersist, ({ session, entry }) => ({ session, entry: parts.entry(entry) }));
    ctx.on(toolInput, (event) => restoring.input(event), { priority: LAST });
    ctx.on(
      toolResult,
      (event) => {
        const result = masker.mask(event.result);
        const left = restoring.leftIn(event.input);
        if (left.length === 0) return { ...event, result };
        const text = `[${left.join(', ')} stands for a secret and was passed on as written; tools do not get its value. Use the name of an environment variable instead.]`;
        return { ...event, result: { ...result, content: [...result.content, { type: 'text' as const, text }] } };
      },
      { priority: FIRST },
    );
    // A list that cannot be read keeps this plugin from starting, and that is what the doctor then tells.
    ctx.contribute(doctorChecks, 'secrets', { run: () => Promise.resolve([findingOf(enabled, detect, rules)]) });
  },
});

function findingOf(enabled: boolean, detect: boolean, rules: readonly SecretRule[]): DoctorFinding {
  if (!enabled)
    return {
      name: 'masking',
      status: 'warning',
      text: 'off: models and session files get secrets as they are',
      next: 'Turn it on with `tenon config set secrets.enabled true`.',
    };
  const values = rules.filter(({ match }) => typeof match === 'string').length;
  const patterns = counted(rules.length - values, 'pattern');
  const text = `${counted(values, 'known value')}, ${patterns}, well-known credentials ${detect ? 'too' : 'not'}`;
  return { name: 'masking', status: 'ok', text };
}
