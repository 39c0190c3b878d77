import { EXIT } from '@tenon/command-line/api';
import { TenonError } from '@tenon/kernel';

export { EXIT, exitMeanings } from '@tenon/command-line/api';

/** Errors about what was typed, though the command itself found them. */
const USAGE = new Set([
  'CLI_CWD',
  'CLI_CWD_GONE',
  'AGENT_TOOL_UNKNOWN',
  'MODELS_UNKNOWN',
  'MODES_UNKNOWN',
  'MODES_NOTHING_TO_DO',
  'MODES_SESSION_FLAGS',
  'MODES_NO_INPUT',
  'PRINT_NO_PROMPT',
  'SESSION_EXPORT_LIMIT',
  'SESSION_FILE_NAME',
  'SESSION_ID_EMPTY',
  'SESSION_NO_FOLDER',
  'USAGE_SINCE',
  'DOCTOR_UNKNOWN_CHECK',
  'TOOLS_INPUT_NOT_JSON',
  'TOOLS_UNKNOWN',
  'TOOLS_EDIT_MODE_UNUSED',
  'TOOLS_FLAG_VALUE',
  'FILE_TOOLS_MODE_UNKNOWN',
  'SANDBOX_COMMAND_MISSING',
  'SANDBOX_PROFILE_UNKNOWN',
  'SETTINGS_UNKNOWN',
  'SETTINGS_FILES_VALUE',
  'SETTINGS_FILES_REFUSED',
  'SETTINGS_FILES_ASSIGNMENT',
]);
const CONFIG_OWNERS = new Set(['settings', 'settings-files']);

/** The exit code for an error. What lies behind it decides: a plugin that did not start because of its settings is a settings error. */
export function exitCodeFor(error: unknown): number {
  const chain: TenonError[] = [];
  for (let at = error; at instanceof TenonError && chain.length < 10; at = at.cause) chain.push(at);
  if (chain.length === 0) return EXIT.defect;
  if (chain.some(({ owner, code }) => owner === 'command-line' || USAGE.has(code))) return EXIT.usage;
  if (chain.some(({ owner }) => CONFIG_OWNERS.has(owner))) return EXIT.config;
  return EXIT.failure;
}
