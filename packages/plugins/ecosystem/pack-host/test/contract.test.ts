import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { pluginContract } from '@tenon/kernel/testing';
import plugin from '../src/plugin.ts';

const source = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

describe('the pack-host plugin', () => {
  it('keeps the contract of plugins', () => pluginContract({ source, plugin }));
});
