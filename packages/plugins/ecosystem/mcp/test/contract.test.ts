import { folders } from '@tenon/host';
import type { Service } from '@tenon/kernel';
import { pluginContract } from '@tenon/kernel/testing';
import { it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

it('keeps the contract of plugins', async () => {
  const places = { config: '/none', state: '/none', cache: '/none', data: '/none', home: '/none', cwd: '/none' };
  await pluginContract({ source, plugin, services: [[folders as Service<unknown>, places]] });
});
