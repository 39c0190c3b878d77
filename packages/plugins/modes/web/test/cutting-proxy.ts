/** A network that breaks: passes bytes on, and cuts connections after so many of them. */
import { type AddressInfo, connect, createServer } from 'node:net';
import { later } from '@tenon/test-kit/temporary';

/** What stands between client and server. */
export interface CuttingProxy {
  readonly port: number;
  /** How many connections it has cut. */
  count(): number;
}

/** Cuts the answer to a request after as many bytes as `bytesOf` says to its first line; undefined for one that is not cut. */
export async function cuttingProxy(
  target: number,
  bytesOf: (line: string) => number | undefined,
): Promise<CuttingProxy> {
  let done = 0;
  const own = `127.0.0.1:${target}`;
  const proxy = createServer((client) => {
    let left = Number.POSITIVE_INFINITY;
    const server = connect(target, '127.0.0.1');
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on('data', (part) => {
      const text = part.toString('latin1');
      const [line = ''] = text.split('\r\n', 1);
      if (line.endsWith('HTTP/1.1')) left = bytesOf(line) ?? Number.POSITIVE_INFINITY;
      // The server answers only to its own name, and to its own page.
      const named = text.replace(/^host: .*$/im, `host: ${own}`).replace(/^origin: .*$/im, `origin: http://${own}`);
      server.write(named, 'latin1');
    });
    server.on('data', (part) => {
      client.write(part.subarray(0, left));
      left -= part.length;
      if (left > 0) return;
      done += 1;
      end();
    });
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  later(() => void proxy.close());
  return { port: (proxy.address() as AddressInfo).port, count: () => done };
}
