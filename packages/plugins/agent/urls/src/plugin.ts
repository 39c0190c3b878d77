import { liveAgents } from '@tenon/agent/api';
import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { sessionStore } from '@tenon/sessions/api';
import { agentOutputs, type UrlScheme, urlRouter, urlSchemes } from './api.ts';
import { createRouter } from './router.ts';
import { agentScheme, createAgentOutputs } from './schemes/agent.ts';
import { artifactScheme } from './schemes/artifact.ts';
import { docsScheme } from './schemes/docs.ts';
import { memoryScheme } from './schemes/memory.ts';
import { localScheme, planScheme } from './schemes/session-files.ts';
import { SessionPlaces } from './session-places.ts';

/** The slot for URL schemes, the router over it, and the schemes of this machine. */
export default definePlugin({
  id: 'urls',
  defines: [urlSchemes, urlRouter, agentOutputs],
  activate(ctx) {
    const router = createRouter(ctx.read(urlSchemes));
    ctx.provide(urlRouter, router);
    // Found when they are used: most addresses need neither, and either may be missing.
    const places = new SessionPlaces({
      stateFolder: async () => (await ctx.find(folders)).state,
      liveAgents: () => ctx.findOptional(liveAgents),
      sessionStore: () => ctx.findOptional(sessionStore),
    });
    const outputs = createAgentOutputs(places);
    ctx.provide(agentOutputs, outputs);
    const schemes: Readonly<Record<string, UrlScheme>> = {
      artifact: artifactScheme(places),
      agent: agentScheme(places, outputs),
      local: localScheme(places),
      plan: planScheme(places),
      docs: docsScheme(),
      memory: memoryScheme({
        dataFolder: async () => (await ctx.find(folders)).data,
        cwd: async () => (await ctx.find(folders)).cwd,
      }),
    };
    for (const [name, scheme] of Object.entries(schemes)) ctx.contribute(urlSchemes, name, scheme);
    const parts = { router, sessionStore: () => ctx.findOptional(sessionStore) };
    const command = (words: string, run: (code: typeof import('./commands.ts')) => CliCommand['run']) =>
      ctx.contribute(cliCommands, words, { run: async (call) => run(await import('./commands.ts'))(call) });
    command(
      'url list',
      ({ listSchemes }) =>
        (call) =>
          listSchemes(parts, call),
    );
    command(
      'url read',
      ({ readUrl }) =>
        (call) =>
          readUrl(parts, call),
    );
    command(
      'url write',
      ({ writeUrl }) =>
        (call) =>
          writeUrl(parts, call),
    );
  },
});
