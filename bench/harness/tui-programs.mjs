/** The programs that are compared: where they come from, how they are pointed at the fake model, and when they are ready. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * Each is installed into a folder of its own, so that one that cannot be had does not stop the others.
 * pi needs a newer Node than we do, and gets it.
 */
const PACKAGES = {
  pi: '@earendil-works/pi-coding-agent@0.87.1',
  node: `node-${PLATFORM}@22.23.3`,
  codex: '@openai/codex@0.166.0',
  claude: '@anthropic-ai/claude-code@2.1.197',
};

/** What a program is called in tables. */
export const NAMES = {
  tenon: 'Tenon',
  pi: 'pi 0.87.1',
  piFullscreen: 'pi 0.87.1 fullscreen',
  codex: 'codex 0.166.0 inline',
  claude: 'Claude Code 2.1.197',
};

/**
 * A Node that nobody else runs: memory that processes share is divided among them, so Tenon would look small beside other
 * programs on the same file.
 * @param {string} folder
 */
export function ownNode(folder) {
  const copy = join(folder, `node-${process.version}`);
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true });
  copyFileSync(process.execPath, copy);
  return copy;
}

/** A copy of Tenon as it is built now: nobody changes it while it is measured. @param {string} folder @returns {string} the program */
export function frozenProgram(folder) {
  const copy = join(folder, 'cli');
  rmSync(copy, { recursive: true, force: true });
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, 'packages/cli', part), join(copy, part), { recursive: true });
  return join(copy, 'bin/tenon.mjs');
}

/** @typedef {import('./tui-terminal.mjs').Start & { ready: RegExp }} Program */

/**
 * Installs what is not there yet; gives those that cannot be had, and why.
 * @param {string} folder @param {(text: string) => void} log @returns {Record<string, string>}
 */
export function installPeers(folder, log) {
  const missing = {};
  for (const [name, spec] of Object.entries(PACKAGES)) {
    const own = join(folder, name);
    if (existsSync(join(own, 'node_modules'))) continue;
    log(`installing ${spec}`);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{ "private": true }\n');
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec];
    const { status, stderr } = spawnSync('npm', words, { cwd: own, encoding: 'utf8' });
    if (status !== 0) missing[name] = `npm install of ${spec} ended with ${status}: ${stderr.trim().split('\n')[0]}`;
  }
  return missing;
}

/** @param {string} path @param {string | object} content */
function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

/** pi's format, which Tenon reads, too. */
const models = (url, contextWindow) => ({
  providers: {
    fake: {
      baseUrl: `${url}/v1`,
      apiKey: 'none-needed',
      api: 'openai-completions',
      models: [{ id: 'm', name: 'M', contextWindow, maxTokens: 80_000, input: ['text'], reasoning: false }],
    },
  },
});

const environment = (home, more) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  ...more,
});

/** Tenon; `program` is that of `frozenProgram`. @param {{ url: string, home: string, cwd: string, peers: string, program: string, contextWindow?: number, flags?: string[], nodeFlags?: string[] }} options @returns {Program} */
export function tenon({
  url,
  home,
  cwd,
  peers,
  program,
  contextWindow = 2_000_000,
  flags = ['--no-session'],
  nodeFlags = [],
}) {
  const own = join(home, '.tenon-home');
  write(join(own, 'config/models.yml'), models(url, contextWindow)); // JSON is YAML.
  return {
    command: ownNode(peers),
    args: [...nodeFlags, program, '--model', 'fake/m', ...flags],
    env: environment(home, { TENON_HOME: own }),
    cwd,
    ready: /Say what to do/,
  };
}

/** @returns {Program} */
function pi({ url, home, cwd, peers, flags = [] }) {
  write(join(home, '.pi/agent/models.json'), models(url, 2_000_000));
  const node = join(peers, `node/node_modules/node-${PLATFORM}/bin/node`);
  const program = join(peers, 'pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js');
  return {
    command: existsSync(node) ? node : process.execPath,
    args: [program, '--provider', 'fake', '--model', 'm', '--no-session', ...flags],
    env: environment(home, { PI_OFFLINE: '1' }),
    cwd,
    ready: /0\.0%/,
  };
}

/** @returns {Program} */
function codex({ url, home, cwd, peers }) {
  const config = `model = "gpt-5.1-codex"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[projects."${cwd}"]
trust_level = "trusted"
[analytics]
enabled = false
`;
  write(join(home, '.codex/config.toml'), config);
  return {
    command: binary(join(peers, 'codex/node_modules/@openai'), 'codex'),
    args: ['--no-alt-screen'],
    env: environment(home, { CODEX_HOME: join(home, '.codex'), FAKE_KEY: 'none-needed' }),
    cwd,
    ready: /\u203a /,
  };
}

/** @returns {Program} */
function claude({ url, home, cwd, peers }) {
  const key = 'sk-ant-fake-0000000000000000';
  write(join(home, '.claude.json'), {
    hasCompletedOnboarding: true,
    theme: 'dark',
    numStartups: 5,
    autoUpdates: false,
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
  });
  return {
    command: binary(join(peers, 'claude/node_modules/@anthropic-ai'), 'claude'),
    args: [],
    env: environment(home, {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    cwd,
    ready: /\u276f/,
  };
}

const MAKERS = {
  tenon,
  pi,
  piFullscreen: (place) => pi({ ...place, flags: ['--tui-mode', 'fullscreen'] }),
  codex,
  claude,
};

/** How a program is started. @param {string} name @param {{ url: string, home: string, cwd: string, peers: string, program: string }} place @returns {Program} */
export function program(name, place) {
  return MAKERS[name](place);
}

/** The one file of this name that is large enough to be a program. */
function binary(folder, name) {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  const found = files.map((file) => join(folder, file)).find((file) => file.endsWith(`/${name}`) && isLarge(file));
  if (found === undefined) throw new Error(`there is no program for ${PLATFORM} in its package`);
  return found;
}

function isLarge(file) {
  const { size } = statSync(file);
  return statSync(file).isFile() && size > 2 ** 20;
}
