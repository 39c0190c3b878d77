import { folders } from '@tenon/host';
import type { Service } from '@tenon/kernel';
import { pluginContract } from '@tenon/kernel/testing';
import { test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract: honest manifest, clean start and stop', async () => {
  const places = { cache: '/none/cache', config: '/none/config', home: '/none' };
  await pluginContract({ source, plugin, services: [[folders as Service<unknown>, places]] });
});
