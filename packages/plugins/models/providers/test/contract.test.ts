import { pluginContract } from '@tenon/kernel/testing';
import { describe, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import providersPlugin from '../src/plugin.ts';

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin: providersPlugin });
  });
});
