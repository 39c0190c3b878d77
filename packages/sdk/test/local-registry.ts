/** A registry of npm on loopback that offers what is in node_modules, so that an installation needs no network. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Starts it for one folder of packages. */
export async function startRegistry(packages: string): Promise<{ readonly url: string; close(): void }> {
  const links = mkdtempSync(join(tmpdir(), 'tenon-registry-'));
  const server = createServer((request, response) => {
    const [, kind, name = ''] = /^\/(archive\/)?(.+)$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const manifest = join(packages, name, 'package.json');
    if (!existsSync(manifest)) {
      // The binaries of other platforms, for example.
      response.writeHead(404).end();
      return;
    }
    if (kind !== undefined) {
      const folder = mkdtempSync(join(links, 'archive-'));
      symlinkSync(join(packages, name), join(folder, 'package'));
      // Not compressed: npm takes it, and this machine is the only one that sees it.
      const tar = spawn('tar', ['-chf', '-', '--exclude=node_modules', '-C', folder, 'package'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      tar.stdout.pipe(response);
      return;
    }
    const json = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    const tarball = `${url}/archive/${name}`;
    const document = {
      name,
      'dist-tags': { latest: json.version },
      versions: { [json.version]: { ...json, dist: { tarball } } },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(links, { recursive: true, force: true });
    },
  };
}
