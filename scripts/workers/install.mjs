/** Fetches the real coding CLIs from the registry, each into a folder of its own that git does not see. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY } from '../workspace.mjs';

/** Where they are kept. */
export const CACHE = join(REPOSITORY, 'node_modules/.cache/real-workers');

const PLATFORM = `${process.platform}-${process.arch}`;

/** Several CLIs need a newer Node than Tenon does. */
const NODE = { spec: `node-${PLATFORM}@24.21.0`, program: `node_modules/node-${PLATFORM}/bin/node` };

/**
 * The package of each CLI, pinned, so that a difference is one of Tenon's; and what starts it: a script of the package, or the
 * large file of this name, where the package holds a binary for each platform.
 */
const PACKAGES = {
  claude: { spec: '@anthropic-ai/claude-code@2.1.326', binary: 'claude' },
  codex: { spec: '@openai/codex@0.169.0', binary: 'codex' },
  gemini: { spec: '@google/gemini-cli@0.61.0', script: 'gemini' },
  pi: { spec: '@earendil-works/pi-coding-agent@0.87.1', script: 'pi' },
  opencode: { spec: 'opencode-ai@1.18.33', binary: 'opencode' },
  kimi: { spec: '@moonshot-ai/kimi-code@2.1.0', script: 'kimi' },
};

/** The names of all that can be installed. */
export const NAMES = Object.keys(PACKAGES);

/**
 * Installs what is not there yet. No script of a package is run, so nothing comes from elsewhere than the registry.
 * @param {readonly string[]} names @param {(line: string) => void} say
 * @returns {Record<string, { bin: string, version: string } | { reason: string }>} a folder for PATH that holds this one CLI
 */
export function installClis(names, say) {
  fetchPackage('node', NODE.spec, say);
  const node = join(CACHE, 'node', NODE.program);
  return Object.fromEntries(
    names.map((name) => {
      const { spec, binary, script } = PACKAGES[name];
      const folder = join(CACHE, name);
      const fault = fetchPackage(name, spec, say);
      if (fault !== undefined) return [name, { reason: fault }];
      const target = binary === undefined ? join(folder, 'node_modules/.bin', script) : largeFile(folder, binary);
      if (target === undefined) return [name, { reason: `${spec} has no program for ${PLATFORM}` }];
      return [
        name,
        { bin: linkProgram(folder, name, target, binary === undefined ? node : undefined), version: versionOf(spec) },
      ];
    }),
  );
}

const versionOf = (spec) => spec.slice(spec.lastIndexOf('@') + 1);

/** @returns {string | undefined} why it cannot be had */
function fetchPackage(name, spec, say) {
  const folder = join(CACHE, name);
  const mark = join(folder, 'installed.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === spec) return undefined;
  say(`installing ${spec}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec];
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) return `npm install of ${spec} ended with ${status}: ${stderr.trim().split('\n')[0]}`;
  writeFileSync(mark, spec);
  return undefined;
}

function largeFile(folder, name) {
  return readdirSync(join(folder, 'node_modules'), { recursive: true })
    .map((path) => join(folder, 'node_modules', String(path)))
    .filter((path) => path.endsWith(`/${name}`))
    .map((path) => ({ path, ...sizeOf(path) }))
    .filter(({ size }) => size > 2 ** 20)
    .toSorted((a, b) => b.size - a.size)[0]?.path;
}

function sizeOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return { size: found?.isFile() ? found.size : 0 };
}

/** A folder for PATH with the CLI, and with the Node that its first line asks for. */
function linkProgram(folder, name, target, node) {
  const bin = join(folder, 'bin');
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  symlinkSync(target, join(bin, name));
  if (node !== undefined) symlinkSync(node, join(bin, 'node'));
  return bin;
}
