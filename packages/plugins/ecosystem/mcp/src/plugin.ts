import { beforeStart, input, liveAgents, sessionShutdown } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders, kernelView, userInterface } from '@tenon/host';
import { commands as commandFiles, discovery, mcpServers } from '@tenon/discovery/api';
import { documents } from '@tenon/documents/api';
import { definePlugin, Type } from '@tenon/kernel';
import { builtInCommands } from '@tenon/slash-commands/api';
import { packHosts } from '@tenon/pack-host/api';
import { authStore, modelRegistry } from '@tenon/models/api';
import { toolRunner, tools, type ToolSource, toolSources } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { urlSchemes } from '@tenon/urls/api';
import { MCP_TOOL_PREFIX, type McpHub, mcpHub } from './api.ts';
import type { Run } from './commands/parts.ts';
import type { Hub } from './hub.ts';
import { memoryKeeper } from './oauth/login-store.ts';
import type { McpSettings } from './generated/settings.ts';

const commands: Readonly<Record<string, () => Promise<Run>>> = {
  'mcp add': async () => (await import('./commands/configure.ts')).addServer,
  'mcp remove': async () => (await import('./commands/configure.ts')).removeServer,
  'mcp enable': async () => (await import('./commands/configure.ts')).enableServer,
  'mcp disable': async () => (await import('./commands/configure.ts')).disableServer,
  'mcp list': async () => (await import('./commands/show.ts')).listMcp,
  'mcp test': async () => (await import('./commands/show.ts')).testMcp,
  'mcp reconnect': async () => (await import('./commands/show.ts')).reconnectMcp,
  'mcp resources': async () => (await import('./commands/show.ts')).listResources,
  'mcp prompts': async () => (await import('./commands/show.ts')).listPrompts,
  'mcp logs': async () => (await import('./commands/show.ts')).showLogs,
  'mcp login': async () => (await import('./commands/use.ts')).loginMcp,
  'mcp logout': async () => (await import('./commands/use.ts')).logoutMcp,
  'mcp call': async () => (await import('./commands/use.ts')).callTool,
};

/** A person may be asked whether the folder is trusted. */
const UNHURRIED = { deadlineMs: 2_147_483_647 };
/** Before others that look at what was typed: `/mcp:…` is for nobody else. */
const FIRST = { priority: 50, ...UNHURRIED };

/** Looking up what is known is quick; others have to start something to know what they bring. */
const BEFORE_OTHERS = 10;

/** The tools, resources and prompts of MCP servers. Nothing is loaded or started before the first prompt, or before somebody names a tool. */
export default definePlugin({
  id: 'mcp',
  config: Type.Unsafe<McpSettings>({}),
  needs: { folders },
  defines: [mcpHub],
  activate(ctx) {
    let made: Promise<Hub> | undefined;
    const logins = memoryKeeper();
    const make = async () => {
      const { makeHub } = await import('./make-hub.ts');
      return makeHub({
        config: ctx.config,
        folders: ctx.needs.folders,
        log: ctx.log,
        environment: process.env,
        version: async () => (await ctx.findOptional(kernelView))?.version ?? '0.0.0',
        discovery: () => ctx.find(discovery),
        trust: () => ctx.find(workspaceTrust),
        models: () => ctx.find(modelRegistry),
        agents: () => ctx.find(liveAgents),
        packs: () => ctx.findOptional(packHosts),
        // Without these plugins nobody can be asked, images stay as they are, and logins end with the process.
        userInterface: () => ctx.findOptional(userInterface),
        documents: () => ctx.findOptional(documents),
        logins: async () => (await ctx.findOptional(authStore)) ?? logins,
        contributeTool: (key, tool, options) => ctx.contribute(tools, key, tool, options),
        contributeCommand: (key, command, file) => ctx.contribute(commandFiles, key, command, { file }),
        report: (error) => ctx.report(error, 'warning'),
      });
    };
    const hub = () => (made ??= make());
    ctx.defer(async () => void (await (await made)?.close()));

    // Most of the code stays out of a session without servers. Asked anew with each prompt: one may have been added.
    const isWanted = async (cwd: string | undefined): Promise<boolean> => {
      if (!ctx.config.enabled || cwd === undefined) return false;
      return made !== undefined || (await (await ctx.find(discovery)).load(mcpServers, cwd)).items.length > 0;
    };

    const lazy: McpHub = {
      prepare: async (cwd, session) => (await hub()).prepare(cwd, session),
      attach: async (session, cwd, servers) => (await hub()).attach(session, cwd, servers),
      servers: async (cwd) => (await hub()).servers(cwd),
      reconnect: async (cwd, server) => (await hub()).reconnect(cwd, server),
      reload: async (cwd) => (await hub()).reload(cwd),
      refresh: async (cwd) => {
        if (made) return (await made).refresh(cwd);
        // Nothing runs; whoever needs servers next finds what there is then.
        (await ctx.find(discovery)).invalidate();
      },
    };
    ctx.provide(mcpHub, lazy);
    ctx.contribute(builtInCommands, 'mcp', {
      run: async (args, call) => (await import('./commands/slash.ts')).mcpCommand(lazy).run(args, call),
    });

    ctx.on(
      input,
      async (typed, { signal }) => {
        if (!(await isWanted(typed.cwd))) return undefined;
        const { handleInput } = await import('./session-hooks.ts');
        return handleInput(await hub(), typed, signal);
      },
      FIRST,
    );
    ctx.on(
      beforeStart,
      async (start) => {
        if (!(await isWanted(start.cwd))) return undefined;
        const { handleStart } = await import('./session-hooks.ts');
        return handleStart(await hub(), start);
      },
      UNHURRIED,
    );
    ctx.on(sessionShutdown, async ({ session }) => (await made)?.forgetSession(session));

    const source: ToolSource = {
      async offer(request) {
        const isNamed = ctx.config.enabled && request.names?.some((name) => name.startsWith(MCP_TOOL_PREFIX));
        return isNamed || (await isWanted(request.cwd)) ? (await hub()).offer(request) : [];
      },
    };
    ctx.contribute(toolSources, 'mcp', source, { priority: BEFORE_OTHERS });

    ctx.contribute(urlSchemes, 'mcp', {
      async read(url, call) {
        const { resourceScheme } = await import('./offer/resources.ts');
        const servers = await hub();
        return resourceScheme({
          cwd: ctx.needs.folders.cwd,
          connection: (cwd, server) => servers.connection(cwd, server),
          async connections(cwd) {
            await servers.workspace(cwd).find();
            return servers.workspace(cwd).connections;
          },
        }).read(url, call);
      },
    });

    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, {
        async run(call) {
          // One of its own, which ends with the command: sessions of this process keep their servers.
          const own = await make();
          const parts = {
            hub: own,
            folders: ctx.needs.folders,
            changed: async () => (await ctx.find(discovery)).invalidate(),
            toolRunner: () => ctx.find(toolRunner),
          };
          return (await load())(parts, call).finally(() => own.close());
        },
      });
    }
  },
});
