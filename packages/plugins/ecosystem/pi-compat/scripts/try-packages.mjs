#!/usr/bin/env node
/**
 * Tries published extensions: fetches npm packages into a temporary folder, without running their install scripts, loads each
 * extension with `tenon extension check`, and prints a table. Folders and files are taken as they are.
 *
 *   node packages/plugins/ecosystem/pi-compat/scripts/try-packages.mjs pi-btw @juicesharp/rpiv-todo ./some/examples
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const tenon = fileURLToPath(new URL('../../../../cli/dist/main.js', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'tenon-try-'));
const workspace = join(base, 'work');
mkdirSync(workspace);

/** A package with its dependencies, or what lies at a path. */
async function targets(name) {
  if (existsSync(name)) {
    const path = resolve(name);
    if (!statSync(path).isDirectory() || existsSync(join(path, 'package.json')))
      return [{ label: basename(path), path }];
    return readdirSync(path)
      .filter((entry) => !/\.(md|json)$/.test(entry))
      .map((entry) => ({ label: entry, path: join(path, entry) }));
  }
  const folder = join(base, name.replaceAll(/[@/]/g, '_'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const flags = ['--ignore-scripts', '--omit=peer', '--legacy-peer-deps', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['install', ...flags, name], { cwd: folder });
  const path = join(folder, 'node_modules', name.replace(/(?<=.)@[^/]*$/, ''));
  const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return [{ label: `${name.replace(/(?<=.)@[^/]*$/, '')} ${version}`, path }];
}

async function check(path) {
  const env = { ...process.env, TENON_HOME: join(base, 'tenon') };
  const asked = run(process.execPath, [tenon, 'extension', 'check', path, '--json'], {
    cwd: workspace,
    env,
    maxBuffer: 1e8,
  });
  const { stdout, stderr } = await asked.catch((fault) => fault);
  try {
    return JSON.parse(stdout);
  } catch {
    return { loaded: false, problem: stderr }; // It did not come as far as an answer.
  }
}

let failures = 0;
try {
  for (const name of process.argv.slice(2)) {
    const found = await targets(name).catch((fault) => [
      { label: name, problem: `not fetched: ${fault.message.split('\n')[0]}` },
    ]);
    for (const { label, path, problem } of found) {
      const result = problem === undefined ? await check(path) : { loaded: false, problem };
      if (!result.loaded) failures++;
      const brings = ['tools', 'commands', 'events', 'providers']
        .map((kind) => `${result[kind]?.length ?? 0} ${kind}`)
        .join(', ');
      const text = result.loaded ? brings : String(result.problem).split('\n')[0];
      process.stdout.write(`| ${label} | ${result.loaded ? 'runs' : 'fails'} | ${text} |\n`);
    }
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;
