import { folders } from '@tenon/host';
import { settingsEngine } from '@tenon/kernel';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { agentHooks, userBash, userPython } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { endpoints, models, providers } from '@tenon/models/api';
import { slashCommandProviders } from '@tenon/slash-commands/api';
import { toolCall, toolResult, tools } from '@tenon/tools/api';
import { expect, test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract of all plugins', async () => {
  const hooks = [...agentHooks, toolCall, toolResult, userBash, userPython];
  const slots = [tools, endpoints, models, providers, slashCommandProviders, cliCommands];
  const named = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  const tokens = inlineCandidate(
    { id: 'tokens', defines: [...hooks, ...slots], activate: () => undefined },
    { defines: { hooks: named(hooks), slots: named(slots) } },
  );
  const section = {
    section: async () => ({
      enabled: true,
      extensions: [],
      disabled: [],
      permissions: {},
      flags: {},
      handlerSeconds: 30,
      toolTokens: 4000,
    }),
  };
  const place = { config: '/none', data: '/none', state: '/none', cache: '/none', home: '/none', cwd: '/none' };
  await expect(
    pluginContract({
      source,
      plugin,
      services: [
        [folders, place],
        [settingsEngine, section],
      ],
      others: [tokens],
    }),
  ).resolves.toBeUndefined();
});
