/** The SDK and the fakes of models as others get them: packed by npm, installed by npm into a folder outside of the repository. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformPackages } from '@tenon/native';
import { createProgress } from '../../../scripts/setup/progress.mjs';
import { setUp } from '../../../scripts/setup.mjs';
import { startRegistry } from './local-registry.ts';
import { put, run } from './plain-node.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ADDON = join(ROOT, 'native/tenon.node');

/** A program's folder with what it installed. */
export interface Installation {
  readonly app: string;
  readonly home: string;
  /** Installs the package of this platform's addon as it would be published; false where the addon was not built. */
  installAddon(): Promise<boolean>;
  remove(): void;
}

/** Packs and installs. What has binaries is left out, so that what works here works everywhere. */
export async function installSdk(): Promise<Installation> {
  await setUp({ progress: createProgress({ quiet: true }), only: ['program'] });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-installed-')));
  const [app, home, packs] = [join(folder, 'app'), join(folder, 'home'), join(folder, 'packs')];
  for (const path of [app, home, packs]) mkdirSync(path);
  put(app, { 'package.json': JSON.stringify({ name: 'app', private: true, type: 'module' }) });
  const registry = await startRegistry(join(ROOT, 'node_modules'));
  const npm = async (cwd: string, ...words: string[]) => {
    const common = ['--loglevel=error', `--cache=${join(folder, 'cache')}`, `--registry=${registry.url}`];
    const ended = await run(['npm', ...words, ...common], { cwd, home });
    if (ended.code !== 0) throw new Error(`npm ${words.join(' ')}: ${ended.err}`);
  };
  const install = (...what: string[]) =>
    npm(app, 'install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', ...what);

  await npm(ROOT, 'pack', `--pack-destination=${packs}`, './packages/sdk/dist', './packages/model-fakes');
  await install(...readdirSync(packs).map((name) => join(packs, name)));
  return {
    app,
    home,
    async installAddon() {
      if (!existsSync(ADDON)) return false;
      const name = platformName();
      const copy = join(folder, name);
      mkdirSync(copy);
      copyFileSync(join(ROOT, 'native/npm', name, 'package.json'), join(copy, 'package.json'));
      copyFileSync(ADDON, join(copy, `tenon.${name}.node`));
      await install(copy);
      return true;
    },
    remove() {
      registry.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `linux-x64-gnu`: this platform, as its package is called. */
function platformName(): string {
  const names = platformPackages().map((name) => name.replace('@tenon/native-', ''));
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  const libc = header.glibcVersionRuntime === undefined ? 'musl' : 'gnu';
  const [name = ''] = process.platform === 'linux' ? names.filter((one) => one.endsWith(libc)) : names;
  return name;
}
