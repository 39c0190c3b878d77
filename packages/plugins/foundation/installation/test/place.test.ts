import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { globalPlace } from '../src/commands.ts';
import { findPlace, type Sight } from '../src/place.ts';

/** A system with these packages and files, none of which is on this machine. */
function system(
  platform: NodeJS.Platform,
  packages: Readonly<Record<string, string>>,
  files: readonly string[] = [],
): Sight {
  const { join } = platform === 'win32' ? win32 : posix;
  const manifests = new Map(Object.entries(packages).map(([folder, name]) => [join(folder, 'package.json'), name]));
  return {
    platform,
    exists: (path) => files.includes(path),
    manifest: (path) => (manifests.has(path) ? { name: manifests.get(path), version: '1.2.3' } : undefined),
  };
}

describe('where Tenon is', () => {
  it('is a global installation of npm when its command leads there, on Linux and macOS', () => {
    const folder = '/usr/local/lib/node_modules/tenon-agent';
    for (const platform of ['linux', 'darwin'] as const) {
      const sight = system(platform, { [folder]: 'tenon-agent' }, ['/usr/local/bin/tenon']);
      expect(findPlace(`${folder}/dist/chunks/plugin.js`, sight)).toEqual({
        kind: 'global',
        folder,
        modules: '/usr/local/lib/node_modules',
        prefix: '/usr/local',
        command: '/usr/local/bin/tenon',
        version: '1.2.3',
      });
    }
  });

  it('is a global installation on Windows, where the prefix has no lib', () => {
    const prefix = 'C:\\Users\\Ann\\AppData\\Roaming\\npm';
    const folder = `${prefix}\\node_modules\\tenon-agent`;
    const sight = system('win32', { [folder]: 'tenon-agent' }, [`${prefix}\\tenon.cmd`]);
    const place = globalPlace(findPlace(`${folder}\\dist\\chunks\\plugin.js`, sight));
    expect(place).toMatchObject({ folder, prefix, command: `${prefix}\\tenon.cmd` });
  });

  it('is a project, npx, the SDK or a checkout otherwise, and each says what to do', () => {
    const refused = (start: string, packages: Record<string, string>, files: string[] = []) => {
      try {
        return globalPlace(findPlace(start, system('linux', packages, files)));
      } catch (fault) {
        return (fault as { code: string }).code;
      }
    };
    const app = '/home/ann/app/node_modules/tenon-agent';
    expect(refused(`${app}/dist/main.js`, { [app]: 'tenon-agent' })).toBe('INSTALLATION_NOT_GLOBAL');
    // A project that is called lib is no prefix: no command leads there.
    const lib = '/home/ann/lib/node_modules/tenon-agent';
    expect(refused(`${lib}/dist/main.js`, { [lib]: 'tenon-agent' })).toBe('INSTALLATION_NOT_GLOBAL');
    const npx = '/home/ann/.npm/_npx/1a2b/node_modules/tenon-agent';
    expect(refused(`${npx}/dist/main.js`, { [npx]: 'tenon-agent' })).toBe('INSTALLATION_NPX');
    const sdk = '/srv/app/node_modules/@tenon/sdk';
    expect(refused(`${sdk}/chunks/a.js`, { [sdk]: '@tenon/sdk' })).toBe('INSTALLATION_SDK');
    const clone = { '/home/ann/tenon': 'tenon', '/home/ann/tenon/packages/sdk': '@tenon/sdk' };
    expect(refused('/home/ann/tenon/packages/cli/dist/chunks/a.js', clone)).toBe('INSTALLATION_CLONE');
    expect(refused('/home/ann/tenon/packages/sdk/dist/index.js', clone)).toBe('INSTALLATION_CLONE');
  });

  it('is this checkout here', () => {
    expect(findPlace().kind).toBe('clone');
  });
});
