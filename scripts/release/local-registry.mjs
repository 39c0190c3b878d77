/** A registry of npm on loopback that offers what is installed in node_modules, so that a trial needs no network. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readJson } from '../workspace.mjs';

/** @param {string} packages a node_modules folder @returns {Promise<{ url: string, close(): void }>} */
export async function startLocalRegistry(packages) {
  const links = mkdtempSync(join(tmpdir(), 'tenon-registry-'));
  const archives = new Map();
  const archive = (name) => {
    const known = archives.get(name);
    if (known) return known;
    const made = pack(links, join(packages, name));
    archives.set(name, made);
    return made;
  };
  let url = '';
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://local').pathname).slice(1);
    const isArchive = path.startsWith('-/archive/');
    const name = isArchive ? path.slice('-/archive/'.length).replace(/\.tgz$/, '') : path;
    const manifest = join(packages, name, 'package.json');
    // The binaries of other platforms, for example.
    if (name.includes('..') || name.startsWith('@tenon/') || !existsSync(manifest)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    if (!isArchive) {
      const { scripts: _scripts, devDependencies: _devDependencies, ...json } = readJson(manifest);
      const dist = { tarball: `${url}/-/archive/${name}.tgz` };
      const versions = { [json.version]: { ...json, _id: `${name}@${json.version}`, dist } };
      const document = { _id: name, name, 'dist-tags': { latest: json.version }, versions, time: {} };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return;
    }
    archive(name).then(
      (bytes) => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes),
      (fault) => response.writeHead(500).end(String(fault)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(links, { recursive: true, force: true });
    },
  };
}

/** The folder as npm would pack it, roughly: whoever installs it finds the same files. @returns {Promise<Buffer>} */
async function pack(links, folder) {
  const place = mkdtempSync(join(links, 'archive-'));
  symlinkSync(folder, join(place, 'package'));
  // Hardly compressed: only this machine sees it.
  const words = ['-ch', '--use-compress-program=gzip -1', '-f', '-', '--exclude=node_modules', '-C', place, 'package'];
  const tar = spawn('tar', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks = [];
  tar.stdout.on('data', (chunk) => chunks.push(chunk));
  const [code] = await once(tar, 'close');
  if (code !== 0) throw new Error(`tar ended with ${code} for ${folder}`);
  return Buffer.concat(chunks);
}
