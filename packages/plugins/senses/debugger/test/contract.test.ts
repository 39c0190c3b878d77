import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { pluginContract } from '@tenon/kernel/testing';
import { standIn } from '@tenon/test-kit/kernel';
import { surroundings } from '@tenon/test-kit/workbench';
import { it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

it('keeps the contract of plugins', async () => {
  const others = await surroundings(standIn([sessionShutdown, sessionSwitch], 'agent'));
  await pluginContract({ source, plugin, others });
});
