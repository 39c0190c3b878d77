import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { pluginContract } from '@tenon/kernel/testing';
import { runQueues } from '@tenon/runs/api';
import { standIn } from '@tenon/test-kit/kernel';
import { expect, test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract of all plugins', async () => {
  const place = { config: '/none', data: '/none', state: '/none', cache: '/none', home: '/none', cwd: '/none' };
  await expect(
    pluginContract({ source, plugin, services: [[folders, place]], others: [standIn([cliCommands, runQueues])] }),
  ).resolves.toBeUndefined();
});
