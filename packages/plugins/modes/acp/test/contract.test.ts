import { pluginContract } from '@tenon/kernel/testing';
import { expect, test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract of all plugins', async () => {
  await expect(pluginContract({ source, plugin })).resolves.toBeUndefined();
});
