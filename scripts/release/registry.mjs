/** Verdaccio on loopback. It keeps what is published here and takes all else from the packages that are installed in this checkout. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startLocalRegistry } from './local-registry.mjs';
import { mustRun } from './run.mjs';

/** Programs that only a release needs, with the versions that were tried. */
const TOOLS = { verdaccio: '6', publint: '0.3' };

/** Installs them once into a folder of the checkout that git ignores. @param {string} root @returns {Promise<string>} their node_modules */
export async function releaseTools(root) {
  const folder = join(root, '.setup/release/tools');
  const modules = join(folder, 'node_modules');
  if (Object.keys(TOOLS).every((name) => existsSync(join(modules, name, 'package.json')))) return modules;
  mkdirSync(folder, { recursive: true });
  // Verdaccio names a tag of node-fetch that not every mirror has; it needs what version 2 has.
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "overrides": { "node-fetch": "^2.7.0" } }\n');
  const wanted = Object.entries(TOOLS).map(([name, range]) => `${name}@${range}`);
  await mustRun(['npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], {
    cwd: folder,
  });
  return modules;
}

/**
 * @param {{ root: string, tools: string, folder: string }} places `folder`: for its storage
 * @returns {Promise<{ url: string, config: string, close(): Promise<void> }>} `config`: an npmrc that names it
 */
export async function startRegistry({ root, tools, folder }) {
  mkdirSync(folder, { recursive: true });
  const installed = await startLocalRegistry(join(root, 'node_modules'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      storage: join(folder, 'storage'),
      auth: { htpasswd: { file: join(folder, 'htpasswd') } },
      uplinks: { installed: { url: installed.url, cache: true, maxage: '1h' } },
      packages: {
        '@tenon/*': { access: '$all', publish: '$all' },
        'tenon-agent': { access: '$all', publish: '$all' },
        '**': { access: '$all', proxy: 'installed' },
      },
      max_body_size: '200mb',
      log: { type: 'stdout', format: 'json', level: 'warn' },
    }),
  );
  const log = openSync(join(folder, 'log'), 'a');
  const program = join(tools, 'verdaccio/bin/verdaccio');
  const words = ['--config', join(folder, 'config.json'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, [program, ...words], { cwd: folder, stdio: ['ignore', log, log] });
  const ended = once(child, 'exit');
  for (let tries = 0; !(await answers(`${url}-/ping`)); tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`verdaccio does not start; see ${join(folder, 'log')}`);
    await sleep(100);
  }
  const config = join(folder, 'npmrc');
  // Any token will do: everyone may publish here.
  writeFileSync(config, `registry=${url}\n//127.0.0.1:${port}/:_authToken=nobody\nfetch-retries=0\n`);
  return {
    url,
    config,
    async close() {
      child.kill();
      await ended;
      installed.close();
    },
  };
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false; // It does not listen yet.
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
