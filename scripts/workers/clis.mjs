/** How each CLI is pointed at the fake model, which tool of it runs a command, and how its own screen is left. */

const MODEL = 'fake-model';

/**
 * @typedef {object} Cli
 * @property {string} vendor of its accounts
 * @property {string} keyVariable
 * @property {string[]} words for every run
 * @property {(command: string) => { name: string, arguments: object }} shell
 * @property {(world: import('./world.mjs').World, url: string) => Record<string, string>} setUp writes its settings, gives variables
 * @property {boolean} [toolsAreToldLate] its output names a tool call only when the tool has ended
 * @property {boolean} [cutToolsAreTold] or when it is stopped
 * @property {boolean} [goesAroundProxy] it uses no proxy for loopback addresses, whatever its environment says
 * @property {string[]} closed below the home folder: what the user's own use of the CLI runs or obeys
 * @property {RegExp} [firstQuestion] a question of its screen that Enter answers with yes
 * @property {RegExp} ready what its screen shows when it can be used
 * @property {string[]} leave keys that end it
 * @property {Record<string, string>} [impossible] cases that cannot be tried, and why
 */

/** @type {Record<string, Cli>} */
export const CLIS = {
  claude: {
    vendor: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    words: ['--model', 'claude-sonnet-4-5'],
    shell: (command) => ({ name: 'Bash', arguments: { command, description: 'A step', timeout: 600_000 } }),
    setUp(world, url) {
      const key = 'sk-ant-good-0000000000000000';
      world.write('.claude.json', {
        hasCompletedOnboarding: true,
        theme: 'dark',
        numStartups: 5,
        customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
        projects: { [world.work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      });
      return { ANTHROPIC_BASE_URL: url };
    },
    ready: /❯/,
    closed: ['.claude/settings.json', '.claude/hooks/x', '.claude/plugins/x', '.claude/commands/x.md'],
    leave: ['/exit\r'],
  },
  codex: {
    vendor: 'openai',
    keyVariable: 'OPENAI_API_KEY',
    words: ['--model', 'gpt-5.1-codex', '--option', 'disable=["plugins"]'],
    shell: (command) => ({ name: 'exec_command', arguments: { cmd: command, yield_time_ms: 600_000 } }),
    setUp(world, url) {
      const lines = [
        'model_provider = "fake"',
        'check_for_update_on_startup = false',
        '[model_providers.fake]',
        'name = "fake"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        `[projects."${world.work}"]`,
        'trust_level = "trusted"',
        '[analytics]',
        'enabled = false',
      ];
      world.write('.codex/config.toml', `${lines.join('\n')}\n`);
      return {};
    },
    closed: ['.codex/config.toml', '.codex/hooks.json', '.codex/rules/x.rules', '.codex/prompts/x.md'],
    ready: /› /,
    leave: ['/quit', '\r'],
  },
  gemini: {
    vendor: 'google',
    keyVariable: 'GEMINI_API_KEY',
    words: ['--model', 'gemini-2.5-pro'],
    shell: (command) => ({ name: 'run_shell_command', arguments: { command, description: 'A step' } }),
    setUp(world, url) {
      world.write('.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      });
      return { GOOGLE_GEMINI_BASE_URL: url };
    },
    closed: ['.gemini/settings.json', '.gemini/extensions/x', '.gemini/commands/x.toml', '.gemini/.env'],
    ready: /Type your message/,
    leave: ['/quit', '\r'],
  },
  pi: {
    vendor: 'pi',
    keyVariable: 'ANTHROPIC_API_KEY',
    words: ['--model', 'claude-sonnet-4-5', '--option', 'provider=anthropic'],
    shell: (command) => ({ name: 'bash', arguments: { command } }),
    setUp(world, url) {
      world.write('.pi/agent/models.json', { providers: { anthropic: { baseUrl: url } } });
      world.write('.pi/agent/settings.json', { retry: { enabled: false } });
      return { PI_OFFLINE: '1' };
    },
    closed: ['.pi/agent/settings.json', '.pi/agent/models.json', '.pi/agent/extensions/x.ts', '.pi/agent/hooks/x'],
    ready: /\d%\/|0\.\d%/,
    leave: ['/quit', '\r'],
  },
  opencode: {
    vendor: 'opencode',
    keyVariable: 'OPENCODE_API_KEY',
    words: ['--model', `fake/${MODEL}`],
    shell: (command) => ({ name: 'bash', arguments: { command, description: 'A step', timeout: 600_000 } }),
    setUp(world, url) {
      world.write('.config/opencode/opencode.json', {
        autoupdate: false,
        share: 'disabled',
        provider: {
          fake: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Fake',
            options: { baseURL: `${url}/v1`, apiKey: '{env:OPENCODE_API_KEY}' },
            models: { [MODEL]: { name: 'Fake', limit: { context: 200_000, output: 8_000 }, tool_call: true } },
          },
        },
      });
      return { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' };
    },
    toolsAreToldLate: true,
    closed: ['.config/opencode/opencode.json', '.config/opencode/plugin/x.js', '.config/opencode/command/x.md'],
    ready: /ctrl\+p|commands/i,
    leave: ['\x03', '\x03'],
  },
  kimi: {
    vendor: 'moonshot',
    keyVariable: 'KIMI_MODEL_API_KEY',
    words: [],
    shell: (command) => ({ name: 'Bash', arguments: { command, timeout: 300 } }),
    setUp(_world, url) {
      return {
        KIMI_MODEL_NAME: MODEL,
        KIMI_MODEL_BASE_URL: `${url}/v1`,
        KIMI_MODEL_PROVIDER_TYPE: 'openai',
        KIMI_MODEL_MAX_CONTEXT_SIZE: '200000',
      };
    },
    toolsAreToldLate: true,
    cutToolsAreTold: true,
    goesAroundProxy: true,
    firstQuestion: /Don't trust/,
    closed: ['.kimi-code/config.toml', '.kimi-code/mcp.json', '.kimi-code/skills/x'],
    ready: /context|>/,
    leave: ['/exit', '\r'],
  },
};

/** Keys in the shapes that the CLIs expect. @param {string} name of the CLI @param {'good' | 'bad' | 'limited'} kind */
export function keyFor(name, kind) {
  const prefix = { claude: 'sk-ant-', pi: 'sk-ant-', gemini: 'AIzaSy' }[name] ?? 'sk-';
  return `${prefix}${kind}-${'0'.repeat(16)}`;
}
