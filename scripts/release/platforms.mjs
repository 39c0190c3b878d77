/** The platforms that have a package with the addon; the release workflow builds one on each. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { readJson, REPOSITORY } from '../workspace.mjs';

/**
 * @typedef {{ name: string, target: string, os: string, cpu: string, libc?: 'glibc' | 'musl' }} Platform
 * @type {readonly Platform[]}
 */
export const PLATFORMS = readJson(join(REPOSITORY, 'native/package.json')).napi.targets.map((target) => {
  const [processor, , system, flavour] = target.split('-');
  const cpu = processor === 'x86_64' ? 'x64' : 'arm64';
  if (system === 'darwin') return { name: `darwin-${cpu}`, target, os: 'darwin', cpu };
  if (system === 'windows') return { name: `win32-${cpu}-msvc`, target, os: 'win32', cpu };
  return { name: `linux-${cpu}-${flavour}`, target, os: 'linux', cpu, libc: flavour === 'musl' ? 'musl' : 'glibc' };
});

/** The platform of this machine. @returns {Platform | undefined} */
export function ownPlatform() {
  const libc = process.platform === 'linux' ? (existsSync('/etc/alpine-release') ? 'musl' : 'glibc') : undefined;
  return PLATFORMS.find(
    ({ os, cpu, libc: needed }) => os === process.platform && cpu === process.arch && needed === libc,
  );
}
