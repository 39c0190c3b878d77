import { agentEvent, beforeStart, compacted, input, liveAgents, sessionStart, sessionSwitch } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { discovery } from '@tenon/discovery/api';
import { extensionFlags, folders, userInterface } from '@tenon/host';
import { definePlugin, type PluginContext, Type } from '@tenon/kernel';
import { packHosts } from '@tenon/pack-host/api';
import { toolCall, toolInput, toolPermission, toolResult, tools, toolSources } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { commandTable } from './commands/table.ts';
import type { OpencodeCompatSettings } from './generated/settings.ts';
import type { ModuleManager } from './host/manager.ts';
import type { Services } from './host/services.ts';

/** A person may be asked about trust; a plugin that does not answer is stopped by its own deadline. */
const WITH_A_PERSON = { deadlineMs: 2_147_483_647 };

/** Runs plugins and custom tools of OpenCode. */
export default definePlugin({
  id: 'opencode-compat',
  config: Type.Unsafe<OpencodeCompatSettings>({}),
  needs: { folders },
  activate(ctx) {
    const services = servicesOf(ctx);
    // Every run passes through here; the code is imported when the first session begins.
    let loading: Promise<ModuleManager> | undefined;
    let manager: ModuleManager | undefined;
    const load = () =>
      (loading ??= import('./host/manager.ts').then(({ ModuleManager }) => (manager = new ModuleManager(services))));
    ctx.defer(async () => void (await (await loading)?.stop()));

    ctx.on(sessionStart, async (event) => (await load()).sessionStart(event), WITH_A_PERSON);
    ctx.on(sessionSwitch, async (event) => (await load()).sessionStart(event), WITH_A_PERSON);
    ctx.on(compacted, ({ session }) =>
      manager?.tell(session, { type: 'session.compacted', properties: { sessionID: session } }),
    );
    ctx.on(agentEvent, (event) => manager?.agentEvent(event));
    ctx.on(input, (event) => manager?.input(event), WITH_A_PERSON);
    ctx.on(beforeStart, (event) => manager?.beforeStart(event), WITH_A_PERSON);
    ctx.on(toolInput, (event) => manager?.toolInput(event), WITH_A_PERSON);
    ctx.on(toolCall, (event) => manager?.toolCall(event), WITH_A_PERSON);
    ctx.on(toolResult, (event) => manager?.toolResult(event), WITH_A_PERSON);
    ctx.on(toolPermission, (event) => manager?.permission(event), WITH_A_PERSON);
    ctx.contribute(toolSources, 'opencode', { offer: async (request) => (await load()).offerTools(request) });
    for (const [words, command] of Object.entries(commandTable))
      ctx.contribute(cliCommands, words, { run: async (call) => (await command())(services, call) });
  },
});

/** What modules reach of Tenon; everything is found when it is used. */
function servicesOf(ctx: PluginContext<OpencodeCompatSettings, { readonly folders: Services['folders'] }>): Services {
  return {
    config: ctx.config,
    folders: ctx.needs.folders,
    log: ctx.log,
    report: (error, severity) => {
      // A module may fail while the plugin is unloaded; only the log is there to be told then.
      if (ctx.signal.aborted) ctx.log.warn(error.message);
      else ctx.report(error, severity);
    },
    agents: () => ctx.find(liveAgents),
    ui: () => ctx.find(userInterface),
    discovery: () => ctx.findOptional(discovery),
    trust: () => ctx.find(workspaceTrust),
    hosts: () => ctx.find(packHosts),
    get tools() {
      return ctx.read(tools);
    },
    contributeTool: (name, tool, data, file) => ctx.contribute(tools, name, tool, { file, data: { ...data } }),
    noExtensions: async () => (await ctx.findOptional(extensionFlags))?.current()?.noExtensions === true,
  };
}
