import { builtIn } from '@tenon/test-kit/plugins';
import { createKernel } from '@tenon/kernel';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { urlRouter, urlSchemes } from '../src/api.ts';
import plugin from '../src/plugin.ts';

const { signal } = new AbortController();

async function router() {
  const kernel = createKernel();
  const rows = new Map([['db://users/1', 'Ada']]);
  kernel.install(
    await builtIn('urls'),
    inlineCandidate(
      {
        id: 'database',
        activate(ctx) {
          ctx.contribute(urlSchemes, 'db', {
            read: async (url) => ({ content: rows.get(url) ?? '' }),
            write: async (url, content) => void rows.set(url, content),
          });
          ctx.contribute(urlSchemes, 'log', { read: async () => ({ content: 'lines' }) });
        },
      },
      { contributes: { 'url-schemes': { db: { writable: true }, log: {} } } },
    ),
  );
  return kernel.find(urlRouter);
}

describe('urls', () => {
  it('keeps the plugin contract', () => pluginContract({ source, plugin }));

  it('reads and writes through the owner of a scheme, in whatever case it is written', async () => {
    const urls = await router();
    expect(urls.schemeOf('DB://users/1')).toBe('db');
    expect(await urls.read('db://users/1', { signal })).toEqual({ content: 'Ada' });
    await urls.write('db://users/1', 'Grace', { signal });
    expect(await urls.read('db://users/1', { signal })).toEqual({ content: 'Grace' });
    expect(urls.list()).toEqual(
      expect.arrayContaining([
        { scheme: 'db', writable: true },
        { scheme: 'log' },
        expect.objectContaining({ scheme: 'docs' }),
      ]),
    );
  });

  it('says which schemes there are, and that one is for reading only', async () => {
    const urls = await router();
    expect(urls.schemeOf('src/main.ts')).toBeUndefined();
    expect(urls.schemeOf('https://example.org')).toBeUndefined();
    await expect(urls.read('ftp://x', { signal })).rejects.toMatchObject({
      next: expect.stringContaining('db, docs, local, log'),
    });
    await expect(urls.write('log://today', 'x', { signal })).rejects.toMatchObject({ code: 'URLS_READ_ONLY' });
  });
});
