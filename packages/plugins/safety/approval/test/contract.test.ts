import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { folders } from '@tenon/host';
import { pluginContract } from '@tenon/kernel/testing';
import plugin from '../src/plugin.ts';
import { makeHome } from './support.ts';

const source = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

describe('the approval plugin', () => {
  it('keeps the contract of plugins', async () => {
    const home = makeHome();
    await pluginContract({ source, plugin, services: [[folders, home.folders]] });
    home.remove();
  });
});
