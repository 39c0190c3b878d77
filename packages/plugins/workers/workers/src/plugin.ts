import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { cliCommands } from '@tenon/command-line/api';
import { ownProgram } from '@tenon/host';
import { BUILT_IN } from './adapters/built-in.ts';
import { workerRegistry, workers } from './api.ts';
import type { WorkersSettings } from './generated/settings.ts';
import { createRegistry } from './registry.ts';
import { doctorChecks } from '@tenon/doctor/api';
import { type ToolData, tools } from '@tenon/tools/api';

/** Other coding CLIs as workers: how each is started, resumed and understood. */
export default definePlugin({
  id: 'workers',
  config: Type.Unsafe<WorkersSettings>({}),
  defines: [workerRegistry, workers],
  activate(ctx) {
    for (const [id, load] of Object.entries(BUILT_IN))
      ctx.contribute(workers, id, { load: async () => (await load()).adapter });
    const registry = createRegistry({
      slot: ctx.read(workers),
      prefer: ctx.config.prefer,
      custom: new Map(
        Object.entries(ctx.config.custom).map(([name, settings]) => [
          name,
          async () => (await import('./custom/custom-adapter.ts')).customAdapter(name, settings),
        ]),
      ),
      diagnose: async (...call) => (await import('./probe/diagnose.ts')).diagnose(...call),
      contract: async (options) => {
        const { agentContract } = await import('./contract/contract.ts');
        const known = ctx.read(tools).list();
        // Those of other servers and of extensions are not ours to offer, and some need a conversation of our own.
        const own = known
          .map(({ key, data }) => ({ name: key, ...(data as Partial<ToolData>) }))
          .filter(({ ownConversation, origin }) => ownConversation !== true && origin === undefined);
        return agentContract(own, ownProgram(), options);
      },
      report: (fault) => ctx.log.error(messageOf(fault)),
    });
    ctx.provide(workerRegistry, registry);
    ctx.contribute(doctorChecks, 'workers', {
      run: async () => (await import('./commands/doctor-check.ts')).checkInstallation(registry, ctx.config),
    });
    const commands = () => import('./commands/worker.ts');
    ctx.contribute(cliCommands, 'worker list', {
      run: async (call) => (await commands()).listWorkers(registry, call),
    });
    ctx.contribute(cliCommands, 'worker doctor', {
      run: async (call) => (await commands()).checkWorkers(registry, call),
    });
    ctx.contribute(cliCommands, 'worker contract', {
      run: async (call) => (await commands()).showContract(registry, call),
    });
    ctx.contribute(cliCommands, 'worker capabilities', {
      run: async (call) => (await commands()).showCapabilities(registry, call),
    });
  },
});
