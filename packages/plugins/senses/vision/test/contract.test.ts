import { agentHooks } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { pluginContract } from '@tenon/kernel/testing';
import { standIn } from '@tenon/test-kit/kernel';
import { toolResult, tools } from '@tenon/tools/api';
import { expect, test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract of all plugins', async () => {
  const place = { config: '/none', data: '/none', state: '/none', cache: '/none', home: '/none', cwd: '/none' };
  const others = [standIn([tools, toolResult, ...agentHooks])];
  await expect(pluginContract({ source, plugin, services: [[folders, place]], others })).resolves.toBeUndefined();
});
