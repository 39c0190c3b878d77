import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import providersPlugin from '../src/plugin.ts';

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin: providersPlugin });
  });

  it('has a dialect for every protocol of its manifest', () => {
    const { providers, endpoints } = source.tenon.contributes;
    for (const api of Object.keys(providers)) {
      expect(existsSync(join(import.meta.dirname, '..', 'src', 'dialects', `${api}.ts`)), api).toBe(true);
    }
    for (const { api } of Object.values(endpoints)) expect(Object.keys(providers)).toContain(api);
  });
});
