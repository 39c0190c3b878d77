import { beforeStart, sessionShutdown } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { urlSchemes } from '@tenon/urls/api';
import type { CodeMapSettings } from './generated/settings.ts';
import type { Maps } from './maps.ts';
import { prompts } from './prompts/index.ts';

/** The map of a repository: its symbols, ranked by how much of the code refers to them. */
export default definePlugin({
  id: 'code-map',
  config: Type.Unsafe<CodeMapSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { cache, cwd } = ctx.needs.folders;
    const { maxFiles, promptTokens } = ctx.config;
    let opened: Promise<Maps> | undefined;
    const maps = () =>
      (opened ??= import('./maps.ts').then(
        (code) => new code.Maps({ cache, maxFiles, warn: (text) => ctx.log.warn(text) }),
      ));
    ctx.defer(async () => (await opened)?.close());

    ctx.contribute(urlSchemes, 'outline', {
      read: async (url, call) => (await import('./scheme.ts')).outlineScheme(await maps(), cwd).read(url, call),
    });
    ctx.contribute(cliCommands, 'map', {
      run: async (call) => (await import('./command.ts')).showMap(await maps(), call),
    });

    // Made once per session: a prompt that changes with every edit would throw the provider's cache away.
    const shown = new Map<string, string>();
    ctx.on(beforeStart, async (start) => {
      const { session, cwd: place } = start;
      if (promptTokens === 0 || session === undefined || place === undefined) return undefined;
      try {
        const question = { scope: '', budget: promptTokens, focus: [] };
        const text = shown.get(session) ?? (await (await maps()).ask(place, question, { signal: ctx.signal })).text;
        shown.set(session, text);
        return text === ''
          ? undefined
          : { ...start, systemPrompt: `${start.systemPrompt}\n\n${prompts.map({ map: text })}` };
      } catch (fault) {
        // A prompt is worth more than the map; reading outline:// says what is wrong.
        ctx.log.warn(`no map in the prompt: ${messageOf(fault)}`);
        return undefined;
      }
    });
    ctx.on(sessionShutdown, ({ session }) => {
      if (session !== undefined) shown.delete(session);
    });
  },
});
