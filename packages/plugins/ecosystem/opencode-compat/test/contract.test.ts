import { folders } from '@tenon/host';
import { settingsEngine } from '@tenon/kernel';
import { pluginContract } from '@tenon/kernel/testing';
import { agentHooks } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { standIn } from '@tenon/test-kit/kernel';
import { toolCall, toolInput, toolPermission, toolResult, tools, toolSources } from '@tenon/tools/api';
import { expect, test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract of all plugins', async () => {
  const tokens = standIn([
    ...agentHooks,
    toolCall,
    toolInput,
    toolPermission,
    toolResult,
    tools,
    toolSources,
    cliCommands,
  ]);
  const section = { section: async () => ({ enabled: true, permissions: {}, handlerSeconds: 30, toolTokens: 4000 }) };
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
