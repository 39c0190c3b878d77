/** The agents that are compared: how each is installed, pointed at the fake server, and started. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = ['@mariozechner/pi-coding-agent@0.73.1', '@oh-my-pi/pi-coding-agent@18.2.3', 'bun@1.4.4'];
const PI = 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js';
const OH_MY_PI = 'node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js';
const BUN = 'node_modules/.bin/bun';
const CONTEXT_WINDOW = 200_000;
const MAX_TOKENS = 8_000;

/**
 * @typedef {{ name: string, readsFiles: boolean, command: string, args: string[], env: Record<string, string>,
 *   configure(baseUrl: string): void, print: string[], rpc: string[], session(file: string): string[] }} Program
 */

/** Installs the peers beside the other work files, once. @param {string} workDir @param {(text: string) => void} log */
export function installPeers(workDir, log) {
  const folder = join(workDir, 'agent-peers');
  if ([PI, OH_MY_PI, BUN].every((path) => existsSync(join(folder, path)))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  log('installing pi, oh-my-pi and bun …');
  const quiet = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES], quiet);
  // The one script that is needed: it links the binary for this machine.
  execFileSync(process.execPath, ['node_modules/bun/install.js'], quiet);
  return folder;
}

/** Tenon, pi and oh-my-pi, each with a home of its own. @param {string} peers @param {string} homes @returns {Program[]} */
export function programs(peers, homes) {
  return [tenon(join(homes, 'tenon')), pi(peers, join(homes, 'pi')), ohMyPi(peers, join(homes, 'oh-my-pi'))];
}

const models = (baseUrl) => ({
  providers: {
    fake: {
      baseUrl,
      apiKey: 'none-needed',
      api: 'openai-completions',
      models: [
        { id: 'm', name: 'M', contextWindow: CONTEXT_WINDOW, maxTokens: MAX_TOKENS, input: ['text'], reasoning: false },
      ],
    },
  },
});

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** @param {string} home @param {Record<string, string>} [extra] */
const environment = (home, extra = {}) => ({ PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', ...extra });

/** @returns {Program} */
function tenon(home) {
  return {
    name: 'tenon',
    readsFiles: true,
    command: process.execPath,
    args: [join(ROOT, 'packages/cli/bin/tenon.cjs')],
    env: environment(home, { TENON_HOME: join(home, '.tenon-home') }),
    // JSON is YAML.
    configure: (baseUrl) =>
      write(join(home, '.tenon-home/config/models.yml'), JSON.stringify(models(baseUrl), null, 2)),
    print: ['--model', 'fake/m', '--no-session', '-p'],
    rpc: ['--mode', 'rpc', '--model', 'fake/m', '--no-session'],
    session: (file) => ['--model', 'fake/m', '--session', file, '-p'],
  };
}

/** @returns {Program} */
function pi(peers, home) {
  return {
    name: 'pi',
    readsFiles: true,
    command: process.execPath,
    args: [join(peers, PI)],
    env: environment(home, { PI_OFFLINE: '1' }),
    configure: (baseUrl) => write(join(home, '.pi/agent/models.json'), JSON.stringify(models(baseUrl))),
    print: ['--provider', 'fake', '--model', 'm', '--no-session', '-p'],
    rpc: ['--mode', 'rpc', '--provider', 'fake', '--model', 'm', '--no-session'],
    session: (file) => ['--provider', 'fake', '--model', 'm', '--session', file, '-p'],
  };
}

/** @returns {Program} */
function ohMyPi(peers, home) {
  return {
    name: 'oh-my-pi',
    readsFiles: true,
    command: join(peers, BUN),
    args: [join(peers, OH_MY_PI)],
    env: environment(home),
    configure: (baseUrl) => {
      write(join(home, '.omp/agent/models.yml'), JSON.stringify(models(baseUrl), null, 2));
      // Without it the first start asks questions.
      write(join(home, '.omp/agent/config.yml'), 'setupVersion: 99\n');
    },
    print: ['--model', 'fake/m', '--no-session', '--no-title', '-p'],
    rpc: ['--mode', 'rpc', '--model', 'fake/m', '--no-session', '--no-title'],
    session: (file) => ['--model', 'fake/m', '--no-title', '--session', file, '-p'],
  };
}
