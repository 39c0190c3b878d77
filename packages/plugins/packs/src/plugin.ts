import { type CliCommand, cliCommands, folders, kernelView } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { definePlugin, plugins } from '@tenon/kernel';
import { packHosts } from '@tenon/pack-host/api';
import type { CommandParts } from './commands/parts.ts';
import { createPackSource } from './pack-source.ts';

/** A command's code is imported when it runs: every start of Tenon passes through this file. */
const commands: Readonly<Record<string, (parts: CommandParts) => Promise<CliCommand>>> = {
  'plugin list': async (parts) => (await import('./commands/list.ts')).listCommand(parts),
  'plugin inspect': async (parts) => (await import('./commands/inspect.ts')).inspectCommand(parts),
  'plugin new': async () => (await import('./commands/new.ts')).newCommand(),
  'plugin test': async (parts) => (await import('./commands/test.ts')).testCommand(parts),
  'plugin link': async (parts) => (await import('./commands/link.ts')).linkCommand(parts),
  'plugin unlink': async (parts) => (await import('./commands/link.ts')).unlinkCommand(parts),
  'plugin enable': async (parts) => (await import('./commands/trust.ts')).enableCommand(parts, true),
  'plugin disable': async (parts) => (await import('./commands/trust.ts')).enableCommand(parts, false),
  'plugin trust': async (parts) => (await import('./commands/trust.ts')).trustCommand(parts),
  'plugin doctor': async (parts) => (await import('./commands/doctor.ts')).doctorCommand(parts),
  'plugin reload': async (parts) => (await import('./commands/doctor.ts')).reloadCommand(parts),
};

/** Finds packs, keeps what the user trusts them with, and starts them. */
export default definePlugin({
  id: 'packs',
  needs: { folders },
  activate(ctx) {
    const parts: CommandParts = {
      folders: ctx.needs.folders,
      log: ctx.log,
      view: () => ctx.find(kernelView),
      hosts: () => ctx.find(packHosts),
    };
    ctx.source(plugins, createPackSource({ ...parts, report: (error) => ctx.report(error) }));
    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await load(parts)).run(call) });
    }
    ctx.contribute(doctorChecks, 'packs', {
      run: async () => (await import('./commands/doctor-check.ts')).checkPacks(parts),
    });
  },
});
