import {
  agentEvent,
  agentStop,
  beforeBranch,
  beforeCompact,
  beforeStart,
  beforeSwitch,
  beforeTree,
  compacted,
  compacting,
  context,
  input,
  liveAgents,
  modelSelect,
  sessionBranch,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
  sessionTree,
  userBash,
  userPython,
} from '@tenon/agent/api';
import { cliCommands, flagSources } from '@tenon/command-line/api';
import { folders, extensionFlags, modeControl, modeEnd, userInterface } from '@tenon/host';
import { discovery, mcpServers } from '@tenon/discovery/api';
import { definePlugin, type PluginContext, type Service, Type } from '@tenon/kernel';
import { authStore, endpoints, modelRegistry, models, providers, modelSources } from '@tenon/models/api';
import { mcpHub } from '@tenon/mcp/api';
import { packHosts } from '@tenon/pack-host/api';
import { slashCommandProviders } from '@tenon/slash-commands/api';
import { pendingActions } from '@tenon/syntax-tools/api';
import { toolCall, toolInput, toolResult, toolRunner, tools, toolSources } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { piExtensions } from './api.ts';
import { commandTable } from './commands/table.ts';
import type { ExtensionManager } from './host/manager.ts';
import type { ExtensionServices } from './host/services.ts';
import type { PiCompatSettings } from './generated/settings.ts';

/** A person may be asked in a handler; an extension that does not answer is stopped by its own deadline. */
const WITH_A_PERSON = { deadlineMs: 2_147_483_647 };

/** A server of the same name in a file counts first. */
const AFTER_FILES = -100;

/** Runs extensions, hook modules and custom tools of pi and oh-my-pi. */
export default definePlugin({
  id: 'pi-compat',
  config: Type.Unsafe<PiCompatSettings>({}),
  needs: { folders },
  defines: [piExtensions],
  activate(ctx) {
    const world = worldOf(ctx);
    // Every run passes through here; the code is imported when the first session begins.
    let loading: Promise<ExtensionManager> | undefined;
    let manager: ExtensionManager | undefined;
    const load = () =>
      (loading ??= import('./host/manager.ts').then(({ ExtensionManager }) => (manager = new ExtensionManager(world))));
    ctx.defer(async () => void (await (await loading)?.stop()));
    /** For what happens in every turn: without extensions nobody should wait for them. */
    const active = () => (manager?.hasAny === true ? manager : undefined);

    ctx.on(sessionStart, async (event) => (await load()).sessions.start(event), WITH_A_PERSON);
    // Before a session has begun there are no extensions, and so nothing to tell.
    ctx.on(sessionSwitch, (event) => manager?.sessions.switched(event), WITH_A_PERSON);
    ctx.on(sessionBranch, (event) => manager?.sessions.branched(event), WITH_A_PERSON);
    ctx.on(sessionTree, (event) => manager?.sessions.treeMoved(event), WITH_A_PERSON);
    ctx.on(sessionShutdown, (event) => manager?.sessions.shutdown(event), WITH_A_PERSON);
    ctx.on(compacted, (event) => manager?.sessions.compacted(event), WITH_A_PERSON);
    ctx.on(modelSelect, (event) => manager?.runs.modelSelect(event), WITH_A_PERSON);
    ctx.on(agentEvent, (event) => active()?.runs.agentEvent(event));
    ctx.on(beforeSwitch, (event) => manager?.sessions.beforeSwitch(event), WITH_A_PERSON);
    ctx.on(beforeBranch, (event) => manager?.sessions.beforeBranch(event), WITH_A_PERSON);
    ctx.on(beforeTree, (event) => manager?.sessions.beforeTree(event), WITH_A_PERSON);
    ctx.on(beforeCompact, (event) => manager?.sessions.beforeCompact(event), WITH_A_PERSON);
    ctx.on(compacting, (event) => manager?.sessions.compacting(event), WITH_A_PERSON);
    ctx.on(input, (event) => manager?.runs.input(event), WITH_A_PERSON);
    ctx.on(beforeStart, (event) => manager?.runs.beforeStart(event), WITH_A_PERSON);
    ctx.on(context, (event) => active()?.runs.context(event), WITH_A_PERSON);
    ctx.on(toolInput, (event) => active()?.runs.toolInput(event), WITH_A_PERSON);
    ctx.on(toolCall, (event) => active()?.runs.toolCall(event), WITH_A_PERSON);
    ctx.on(toolResult, (event) => active()?.runs.toolResult(event), WITH_A_PERSON);
    ctx.on(agentStop, (event) => manager?.runs.agentStop(event), WITH_A_PERSON);
    ctx.on(userBash, (event) => manager?.runs.userCommand('user_bash', event), WITH_A_PERSON);
    ctx.on(userPython, (event) => manager?.runs.userCommand('user_python', event), WITH_A_PERSON);

    ctx.contribute(slashCommandProviders, 'pi-extensions', {
      list: async (scope) => (await load()).listCommands(scope),
      run: async (name, args, call) => (await load()).runCommand(name, args, call),
    });
    ctx.contribute(toolSources, 'pi-extensions', {
      offer: async (request) => (await load()).offerTools(request),
    });
    ctx.contribute(modelSources, 'pi-extensions', {
      offer: async ({ cwd }) => void (await (await load()).offerTools({ cwd })),
    });
    // Nothing is started to look: extensions that were not loaded have registered nothing.
    ctx.source(mcpServers, {
      id: 'pi-extensions',
      priority: AFTER_FILES,
      load: async ({ cwd }) => ({ items: (await manager?.known(cwd)?.serverItems()) ?? [] }),
    });
    ctx.contribute(flagSources, 'pi-extensions', {
      flags: async ({ cwd, flags }) => {
        const paths = [flags['extension'], flags['hook']].flatMap((values) => (Array.isArray(values) ? values : []));
        // The mode has not begun; which extensions are wanted must be known before it does.
        const control = await ctx.findOptional(modeControl);
        control?.setFlags({ extensions: paths, noExtensions: flags['no-extensions'] === true });
        return (await load()).flagsOf(cwd);
      },
      known: async ({ cwd }) => (await import('./host/known-flags.ts')).knownFlags(world, cwd),
    });
    ctx.provide(piExtensions, {
      list: (cwd) =>
        manager?.known(cwd)?.extensions.map(({ module: { name, file, level }, trust, shape, status }) => ({
          name,
          file,
          level,
          trust,
          shape,
          ...(status?.pid !== undefined && { process: status.pid }),
        })) ?? [],
      shortcuts: (cwd) => manager?.shortcuts(cwd) ?? [],
      draws: (cwd, what, name) => manager?.draws(cwd, what, name) ?? false,
      drawEntry: async (...args) => manager?.drawEntry(...args),
      transformMarkdown: async (cwd, text, about) => (await manager?.transformMarkdown(cwd, text, about)) ?? text,
      drawThought: async (...args) => manager?.drawThought(...args),
      drawMessage: async (...args) => manager?.drawMessage(...args),
      drawTool: async (...args) => manager?.drawTool(...args),
      pressKey: async (cwd, key, session) => (await manager?.pressKey(cwd, key, session)) ?? false,
    });
    for (const [words, command] of Object.entries(commandTable)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await command())(world, call) });
    }
  },
});

/** What extensions reach of Tenon; everything is found when it is used. */
function worldOf(
  ctx: PluginContext<PiCompatSettings, { readonly folders: ExtensionServices['folders'] }>,
): ExtensionServices {
  const find = <V>(service: Service<V>) => ctx.find(service);
  return {
    config: ctx.config,
    folders: ctx.needs.folders,
    log: ctx.log,
    report: (error, severity) => {
      // A module may fail while the plugin is unloaded; only the log is there to be told then.
      if (ctx.signal.aborted) ctx.log.warn(error.message);
      else ctx.report(error, severity);
    },
    agents: () => find(liveAgents),
    ui: () => find(userInterface),
    discovery: () => ctx.findOptional(discovery),
    trust: () => find(workspaceTrust),
    hosts: () => find(packHosts),
    models: () => find(modelRegistry),
    auth: () => find(authStore),
    pendingActions: () => find(pendingActions),
    runner: () => find(toolRunner),
    mcp: () => ctx.findOptional(mcpHub),
    get tools() {
      return ctx.read(tools);
    },
    get endpoints() {
      return ctx.read(endpoints);
    },
    contributeTool: (name, tool, data, options) => ctx.contribute(tools, name, tool, { ...options, data: { ...data } }),
    contributeEndpoint: (name, endpoint, priority) =>
      ctx.contribute(endpoints, name, endpoint, { priority, data: { ...endpoint } }),
    contributeModel: (key, model) => ctx.contribute(models, key, model, { data: { ...model } }),
    contributeProvider: (api, provider) => ctx.contribute(providers, api, provider),
    flags: async () => {
      const flags = (await ctx.findOptional(extensionFlags))?.current();
      return flags ?? { extensions: [], noExtensions: false };
    },
    flagValues: async () => (await ctx.findOptional(extensionFlags))?.current()?.values ?? {},
    endMode: async () => (await ctx.findOptional(modeEnd))?.request(),
  };
}
