import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { chooseMechanism, isPublicAddress } from '@tenon/sandbox/api';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import type { Workbench } from '@tenon/test-kit/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, openBrowserBench, processesWith, serve } from './browser-bench.ts';

/** Something on this machine that no page may reach: it counts whoever connects. */
async function secretService(): Promise<{ port: number; connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 6\r\n\r\nsecret');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  later(() => void server.close());
  return { port: (server.address() as { port: number }).port, connections: () => count };
}

const { mechanism } = await chooseMechanism('auto');

describe.skipIf(chromium === undefined)('what pages can reach', () => {
  for (const sandbox of ['full', 'auto']) {
    const isSkipped = sandbox === 'auto' && mechanism !== 'bubblewrap';
    describe.skipIf(isSkipped)(`with sandbox.profile ${sandbox}`, () => {
      let bench: Workbench;
      let site: Awaited<ReturnType<typeof serve>>;
      let secret: Awaited<ReturnType<typeof secretService>>;
      const fails = (input: Record<string, unknown>) => bench.fails('browser', input);
      const ok = (input: Record<string, unknown>) => bench.ok('browser', input);

      beforeAll(async () => {
        secret = await secretService();
        const there = `127.0.0.1:${secret.port}`;
        site = await serve({
          '/': '<title>Home</title><p>home</p>',
          '/redirect': (_, response) => void response.writeHead(302, { location: `http://${there}/` }).end(),
          '/script-redirect': `<title>R</title><script>location.href = 'http://${there}/'</script>`,
          '/worker.js': (_, response) =>
            void response.writeHead(200, { 'content-type': 'text/javascript' })
              .end(`fetch('http://${there}/worker').catch(() => 0).then(() => self.postMessage?.('done'));
self.addEventListener('install', (event) => event.waitUntil(fetch('http://${there}/service').catch(() => 0)));`),
          '/tries': `<title>Tries</title><img src="http://${there}/img"><script src="http://${there}/script"></script>
<link rel="stylesheet" href="http://${there}/style"><link rel="preconnect" href="http://${there}">
<iframe src="http://${there}/frame"></iframe><form id="f" method="post" action="http://localhost:${secret.port}/form" target="t"></form><iframe name="t"></iframe>
<script>
const tries = [];
const attempt = (work) => tries.push(Promise.resolve().then(work).catch(() => 0));
for (const host of ['${there}', 'localhost:${secret.port}', '[::1]:${secret.port}', '2130706433:${secret.port}', '0.0.0.0:${secret.port}'])
  attempt(() => fetch('http://' + host + '/fetch', { mode: 'no-cors' }));
attempt(() => new Promise((done) => { const ws = new WebSocket('ws://${there}/'); ws.onerror = ws.onclose = done; }));
attempt(() => new Promise((done) => { const es = new EventSource('http://${there}/'); es.onerror = () => { es.close(); done(); }; }));
attempt(() => navigator.sendBeacon('http://${there}/beacon', 'x'));
attempt(() => new Promise((done) => { const w = new Worker('/worker.js'); w.onmessage = done; w.onerror = done; }));
attempt(() => navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready));
attempt(() => new Promise((done) => { const pc = new RTCPeerConnection({ iceServers: [{ urls: 'turn:${there}?transport=tcp', username: 'u', credential: 'c' }] }); pc.createDataChannel('x'); pc.createOffer().then((o) => pc.setLocalDescription(o)); setTimeout(done, 1500); }));
f.submit();
Promise.all(tries).then(() => { document.title = 'all tried'; });
</script>`,
        });
        bench = await openBrowserBench({ allowHosts: [site.host] }, { sandbox });
      });
      afterAll(() => bench.dispose());

      it('is the allowed host, and no other one of this machine', async () => {
        expect(await ok({ action: 'open', url: site.origin })).toMatch(/"Home" \(200\)/);
        expect(await fails({ action: 'goto', url: `http://127.0.0.1:${secret.port}` })).toMatch(
          /127\.0\.0\.1:\d+ was refused.*tenon config set browser\.allowHosts '\["127\.0\.0\.1:\d+"\]'/,
        );
        expect(await fails({ action: 'goto', url: `https://localhost:${secret.port}` })).toMatch(
          /localhost:\d+ was refused/,
        );
        expect(await fails({ action: 'goto', url: 'http://169.254.169.254/latest/meta-data' })).toMatch(/was refused/);
        expect(secret.connections()).toBe(0);
      });

      it('does not follow redirects to where a page may not go', async () => {
        expect(await fails({ action: 'goto', url: `${site.origin}/redirect` })).toMatch(/127\.0\.0\.1:\d+ was refused/);
        await bench.run('browser', { action: 'goto', url: `${site.origin}/script-redirect` });
        expect(await ok({ action: 'wait_for', text: 'sandbox' })).toBeDefined();
        expect(secret.connections()).toBe(0);
      });

      it('lets no part of a page reach it: resources, frames, forms, sockets, workers, WebRTC', async () => {
        await bench.run('browser', { action: 'goto', url: `${site.origin}/tries`, wait_until: 'domcontentloaded' });
        await until(async () => /all tried/.test(await ok({ action: 'tabs' })), 'all tries of the page', 60_000);
        expect(secret.connections()).toBe(0);
        expect(await ok({ action: 'network', limit: 500 })).toMatch(/\/fetch/);
      });

      it('opens no files and no pages of the browser', async () => {
        expect(await fails({ action: 'goto', url: 'file:///etc/hostname' })).toMatch(
          /cannot be opened: files of this machine/,
        );
        expect(await fails({ action: 'goto', url: 'chrome://settings' })).toMatch(
          /addresses with chrome: are not opened/,
        );
        expect(await fails({ action: 'goto', url: 'javascript:alert(1)' })).toMatch(/not opened/);
        await ok({ action: 'goto', url: site.origin });
        await bench.run('browser', {
          action: 'run',
          code: "location.href = 'file:///etc/hostname'; await new Promise((r) => setTimeout(r, 500)); return location.href",
        });
        expect(await ok({ action: 'tabs' })).not.toMatch(/file:/);
        expect(
          await ok({ action: 'run', code: "return fetch('file:///etc/hostname').then((r) => r.text(), String)" }),
        ).toMatch(/Failed to fetch/);
      });

      it('does not trust a name that leads to this machine', async (context) => {
        const found = await lookup(hostname()).catch(() => undefined);
        if (!found || isPublicAddress(found.address)) return context.skip();
        expect(await fails({ action: 'goto', url: `http://${hostname()}:${secret.port}` })).toMatch(/was refused/);
        expect(secret.connections()).toBe(0);
      });
    });
  }

  it('is only what is listed, where the user wants that', async () => {
    const site = await serve({ '/': '<title>Home</title>' });
    const bench = await openBrowserBench({ allowHosts: [site.host], network: 'listed' });
    expect(await bench.ok('browser', { action: 'open', url: site.origin })).toMatch(/Home/);
    expect(await bench.fails('browser', { action: 'goto', url: 'http://example.org' })).toMatch(
      /example\.org:80 was refused/,
    );
  });

  it.skipIf(mechanism !== 'bubblewrap')(
    'comes to a browser in a sandbox, which writes to its own folder only',
    async () => {
      const bench = await openBrowserBench({}, { sandbox: 'auto' });
      expect((await bench.run('browser', { action: 'open' })).details).toMatchObject({
        steps: [{ browser: expect.stringMatching(/^Sandbox read-only \(bubblewrap\).*public hosts through a proxy/) }],
      });
      const folder = join(bench.home, 'own', 'browser');
      const inside = processesWith('--type=renderer').filter((pid) => processesWith(folder).includes(pid));
      expect(inside.length).toBeGreaterThan(0);
      const networks = [...inside, process.pid].map((pid) => readlinkSync(`/proc/${pid}/ns/net`));
      expect(networks[0]).not.toBe(networks.at(-1));
      const mounts = readFileSync(`/proc/${inside[0]}/mountinfo`, 'utf8').trim().split('\n');
      const writable = mounts.flatMap((line) => {
        const [place = '', options = ''] = line.split(' ').slice(4, 6);
        const kind = line.split(' - ')[1]?.split(' ')[0] ?? '';
        return options.split(',').includes('rw') && !['tmpfs', 'proc', 'devtmpfs', 'devpts', 'mqueue'].includes(kind)
          ? [place]
          : [];
      });
      expect(writable.filter((place) => place.startsWith(folder)).length).toBe(1);
      // Beside the folder only the socket of the proxy.
      expect(
        writable.filter(
          (place) => !place.startsWith(folder) && !place.endsWith('/proxy') && !place.startsWith('/dev/'),
        ),
      ).toEqual([]);
    },
  );

  it('opens files when the user allows it, which the gate sees as reading', async () => {
    const bench = await openBrowserBench({ files: true }, { files: { 'page.html': '<title>Local</title>' } });
    expect(await bench.ok('browser', { action: 'open', url: `file://${bench.path('page.html')}` })).toMatch(/"Local"/);
  });
});
