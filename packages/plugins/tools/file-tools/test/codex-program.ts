/** The program of OpenAI's Codex, which applies patches when it is told to. It is large, so only `npm run conformance` fetches it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const VERSION = '0.169.0';

/** A Codex to compare with, or why there is none. */
export type Codex = { readonly path: string; readonly version: string } | { readonly missing: string };

/** The program from npm's package, kept beside the installed packages. */
export function findCodex(): Codex {
  const require = createRequire(import.meta.url);
  const cache = join(dirname(require.resolve('vitest/package.json')), '..', '.cache', `codex-${VERSION}`);
  const version = `codex ${VERSION}`;
  const path = programIn(cache);
  if (path !== undefined) return { path, version };
  if (process.env['TENON_CONFORMANCE_FOLDER'] === undefined) {
    return { missing: 'Codex is not there; npm run conformance fetches it from npm' };
  }
  mkdirSync(cache, { recursive: true });
  const name = `@openai/codex@${VERSION}-${process.platform}-${process.arch}`;
  const packed = spawnSync('npm', ['pack', name, '--pack-destination', cache], { encoding: 'utf8' });
  const archive = readdirSync(cache).find((file) => file.endsWith('.tgz'));
  if (packed.status !== 0 || archive === undefined) return { missing: `npm has no ${name} for us: ${packed.stderr}` };
  spawnSync('tar', ['-xzf', archive, '--wildcards', 'package/vendor/*/bin/codex*'], { cwd: cache });
  rmSync(join(cache, archive));
  const fetched = programIn(cache);
  return fetched === undefined ? { missing: `${name} has no program for this machine` } : { path: fetched, version };
}

function programIn(cache: string): string | undefined {
  const vendor = join(cache, 'package', 'vendor');
  const platforms = existsSync(vendor) ? readdirSync(vendor) : [];
  return platforms.map((platform) => join(vendor, platform, 'bin', 'codex')).find((path) => existsSync(path));
}
