import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { startFakeModels } from '@tenon/model-fakes';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { needsProxy } from '../src/proxy.ts';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';

afterEach(() => vi.unstubAllEnvs());

describe('behind a proxy', () => {
  it('calls go through it', async () => {
    const fake = await startFakeModels();
    const tunnels: string[] = [];
    const proxy = createServer();
    // Whatever host is asked for, the tunnel leads to the fake: the name does not exist outside of this test.
    proxy.on('connect', (request, client) => {
      tunnels.push(request.url ?? '');
      const upstream = connect(Number(new URL(fake.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    fake.reply({ content: [{ type: 'text', text: 'through the tunnel' }] });
    const model = modelOf('anthropic-messages', fake, { baseUrl: 'http://models.invalid/v1' });
    const { message, last } = await collect(providerOf('anthropic-messages'), requestOf(model));
    expect(last.type === 'error' && last.error.errorMessage).toBe(false);
    expect(message.content).toMatchObject([{ text: 'through the tunnel' }]);
    expect(tunnels).toEqual(['models.invalid:80']);
    proxy.close();
    proxy.closeAllConnections();
    await fake.close();
  });

  it('calls to this machine do not', () => {
    const env = { HTTP_PROXY: 'http://proxy', HTTPS_PROXY: 'http://proxy' };
    expect(needsProxy(new URL('http://127.0.0.1:11434/v1'), env)).toBe(false);
    expect(needsProxy(new URL('http://localhost/v1'), env)).toBe(false);
    expect(needsProxy(new URL('https://api.example.com'), env)).toBe(true);
    expect(needsProxy(new URL('https://api.example.com'), { HTTP_PROXY: 'http://proxy' })).toBe(false);
  });
});
