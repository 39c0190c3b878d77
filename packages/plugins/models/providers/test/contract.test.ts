import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import type { Endpoint } from '@tenon/models/api';
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
    for (const [name, endpoint] of Object.entries(endpoints as unknown as Record<string, Endpoint>))
      for (const { api, catalogue } of endpoint.routes ?? []) {
        expect(Object.keys(providers), name).toContain(api);
        expect(Object.keys(endpoints), name).toContain(catalogue);
      }
  });

  it('names no client of another program without saying whose it is', () => {
    const logins = Object.entries(source.tenon.contributes.endpoints as unknown as Record<string, Endpoint>).flatMap(
      ([name, { oauth }]) => (oauth && oauth.style !== 'key' ? [{ name, oauth }] : []),
    );
    expect(logins.map(({ name }) => name)).toContain('github-copilot');
    for (const { name, oauth } of logins) {
      // Either the user registers a client, or the owner of the one that is named is told.
      expect([oauth.register !== undefined, oauth.clientOwner !== undefined], name).toContain(true);
      expect(oauth.clientId === undefined || oauth.clientOwner !== undefined, name).toBe(true);
      expect(oauth.clientSecret, name).toBeUndefined();
    }
  });
});
