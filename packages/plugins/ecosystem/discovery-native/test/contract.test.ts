import { folders } from '@tenon/host';
import { sourceFiles, type SourceFiles } from '@tenon/discovery/api';
import type { Service } from '@tenon/kernel';
import { pluginContract } from '@tenon/kernel/testing';
import { test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the plugin keeps the contract: honest manifest, clean start and stop', async () => {
  const files = {} as SourceFiles;
  await pluginContract({
    source,
    plugin,
    services: [
      [sourceFiles as Service<unknown>, files],
      [folders as Service<unknown>, { config: '/none/config', home: '/none' }],
    ],
  });
});
