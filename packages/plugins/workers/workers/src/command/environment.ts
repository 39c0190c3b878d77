/** The environment of workers: what none of them inherits, and what all of them get. */
import type { WorkerSpec } from '../spec.ts';

/**
 * Variables that no worker inherits: marks of an agent around it, which make CLIs refuse to start or behave as a child, and
 * tokens of GitHub, so that `gh` uses its own login.
 */
export const COMMON_DROP: readonly string[] = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_AGENT_SDK_VERSION',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
  'CODEX_INTERNAL_ORIGINATOR_OVERRIDE',
  'GEMINI_CLI',
  'GEMINI_CLI_IDE_SERVER_PORT',
  'GEMINI_CLI_IDE_WORKSPACE_PATH',
  'PI_CODING_AGENT',
  'OPENCODE',
  'CURSOR_AGENT',
  'AGENT_THREAD_ID',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
];

/** Set for every worker: its output goes to a file. */
const COMMON_ENV: Readonly<Record<string, string>> = { NO_COLOR: '1', NO_UPDATE_NOTIFIER: '1' };

/** What a command sets and removes: the same for all workers, then what the spec says, then `extra`. */
export function commandEnv(
  spec: Pick<WorkerSpec, 'dropVariables' | 'env'>,
  extra: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string | undefined>> {
  const dropped = [...COMMON_DROP, ...(spec.dropVariables ?? [])].map((name) => [name, undefined] as const);
  return { ...Object.fromEntries(dropped), ...COMMON_ENV, ...spec.env, ...extra };
}

/** The environment of a CLI's own screen: colours stay, everything else is as in a run. */
export function interactiveEnv(
  spec: Pick<WorkerSpec, 'dropVariables' | 'env'>,
  extra: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string | undefined>> {
  const { NO_COLOR: _color, ...env } = commandEnv(spec, extra);
  return env;
}
