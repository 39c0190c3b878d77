import { cliCommands } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { sandboxes } from '@tenon/sandbox/api';
import { type Validation, validation } from './api.ts';
import type { ValidationSettings } from './generated/settings.ts';

/** Builds and tests what was changed, with the project's own commands. */
export default definePlugin({
  id: 'validation',
  config: Type.Unsafe<ValidationSettings>({}),
  defines: [validation],
  activate(ctx) {
    const service: Validation = {
      plan: async (request) => (await import('./plan.ts')).planValidation(request, ctx.config.commands),
      async run(plan, call) {
        const { runSteps } = await import('./run-steps.ts');
        const confine = async () =>
          (await ctx.find(sandboxes)).wrap({
            cwd: plan.root,
            ...(call.sandbox === 'off' && { profile: 'full' as const }),
          });
        return runSteps(plan, confine, call);
      },
    };
    ctx.provide(validation, service);
    ctx.contribute(cliCommands, 'validate', {
      run: async (call) => (await import('./command.ts')).validate(service, call),
    });
  },
});
