#!/usr/bin/env node
/**
 * Publishes packages, folders or archives, in the order in which they are named: `node scripts/release/publish.mjs FOLDER FILE.tgz …`.
 * One that the registry has in this version is passed over, so that a job that broke off can be run again.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

for (const path of process.argv.slice(2).map((word) => resolve(word))) {
  const { name, version } = manifestOf(path);
  if (isPublished(`${name}@${version}`)) {
    process.stdout.write(`${name} ${version} is published already\n`);
    continue;
  }
  // What `npm install tenon-agent` brings is the newest release, never a candidate for one.
  const tag = version.includes('-') ? 'next' : 'latest';
  // The path is whole: npm takes `addons/name` for a repository on GitHub.
  const { status } = npm(['publish', path, '--provenance', '--access', 'public', '--tag', tag], 'inherit');
  if (status !== 0) {
    process.stderr.write(`${name} ${version} could not be published; run this again once the cause is gone\n`);
    process.exitCode = 1;
    break;
  }
}

/** @param {string} path @returns {{ name: string, version: string }} */
function manifestOf(path) {
  if (statSync(path).isDirectory()) return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const { status, stdout, stderr } = spawnSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${path} is no package: ${stderr}`);
  return JSON.parse(stdout);
}

/** Anything but a clear answer of the registry ends the job: publishing into the dark helps nobody. */
function isPublished(spec) {
  const { status, stdout, stderr } = npm(['view', spec, 'version', '--json', '--prefer-online'], 'pipe');
  if (status === 0) return stdout.trim() !== '';
  if (/\bE404\b/.test(`${stdout}${stderr}`)) return false;
  throw new Error(`npm could not look for ${spec}: ${stderr}`);
}

function npm(words, stdio) {
  return spawnSync('npm', words, { encoding: 'utf8', stdio: ['ignore', stdio, stdio === 'pipe' ? 'pipe' : 'inherit'] });
}
