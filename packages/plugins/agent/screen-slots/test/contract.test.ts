import { pluginContract } from '@tenon/kernel/testing';
import { it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

it('keeps the contract of plugins', async () => {
  await pluginContract({ source, plugin });
});
