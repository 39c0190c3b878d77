/** Codex. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { McpLaunch, WorkerAdapter, WorkerCommand, WorkerFile, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { checkOptions, flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { codexReader } from './codex/events.ts';
import { spec } from './codex/spec.ts';

const STYLE = { equals: true } as const;
const BYPASS = '--dangerously-bypass-approvals-and-sandbox';
/** Flags that `codex exec` takes and `codex exec resume` does not: they stand before the word `resume`. */
const ONLY_EXEC = ['sandbox', 'profile', 'oss', 'localProvider', 'addDir', 'outputSchema'];
/** Not simply words of their own. */
const HANDLED = ['fullAuto', 'dangerouslyBypassApprovalsAndSandbox', 'config'];

/** Drives `codex exec`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { cwd, model }) => ({
    program: spec.program,
    // Its background server would keep the session open after the screen is closed, and the run could not go on.
    args: ['resume', session, '--no-daemon', '-C', cwd, ...(model === undefined ? [] : ['-m', model])],
    env: interactiveEnv(spec, pinnedHome(process.env)),
  }),
  // Who asked for the run may have another folder than the process that starts it.
  prepare: async ({ env }) => ({ env: pinnedHome(env), clean: () => Promise.resolve() }),
  parser: (context) => eventParser(context, codexReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, session } = task;
  checkOptions(spec, options);
  const text = taskText(task, spec.capabilities);
  const schema = schemaFile(task);
  const before = [
    ...(task.folders ?? []).flatMap((folder) => flagWords('--add-dir', folder, STYLE)),
    ...(schema ? ['--output-schema', schema.path] : []),
    ...(options['fullAuto'] === true && options['sandbox'] === undefined ? ['--sandbox', 'workspace-write'] : []),
    ...optionWords(
      spec,
      pick(options, (name) => ONLY_EXEC.includes(name)),
      STYLE,
    ),
  ];
  const after = [
    '--json',
    ...(bypasses(task) ? [BYPASS] : []),
    '--skip-git-repo-check',
    ...(task.model === undefined ? [] : flagWords('-m', task.model, STYLE)),
    ...Object.entries(task.mcp ?? {}).flatMap(([name, launch]) => mcpWords(name, launch)),
    ...configWords(options['config']),
    ...optionWords(
      spec,
      pick(options, (name) => !ONLY_EXEC.includes(name) && !HANDLED.includes(name)),
      STYLE,
    ),
    ...(task.extraArgs ?? []),
  ];
  const resumes = session?.how === 'resume';
  return {
    program: spec.program,
    args: [
      'exec',
      ...before,
      ...(resumes ? ['resume', ...after, session.id] : after),
      // Without it the task "resume" would be a command, and `--image` would take the task for a file.
      '--',
      text.word,
    ],
    env: commandEnv(spec, pinnedHome(process.env)),
    files: [...text.files, ...(schema ? [schema] : [])],
  };
}

function bypasses({ options = {}, yolo = true }: WorkerTask): boolean {
  const said = options['dangerouslyBypassApprovalsAndSandbox'];
  if (typeof said === 'boolean') return said;
  return yolo && options['fullAuto'] !== true && options['sandbox'] === undefined;
}

/** Sessions are found again only in the same folder, whatever HOME is later. */
function pinnedHome(env: Readonly<Record<string, string | undefined>>): { readonly CODEX_HOME: string } {
  return { CODEX_HOME: env['CODEX_HOME'] || join(env['HOME'] || homedir(), '.codex') };
}

function schemaFile(task: WorkerTask): WorkerFile | undefined {
  if (!task.schema) return undefined;
  return { path: join(task.scratch, 'answer-schema.json'), text: `${JSON.stringify(task.schema, undefined, 2)}\n` };
}

function pick(
  options: Readonly<Record<string, unknown>>,
  isWanted: (name: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => isWanted(name)));
}

function configWords(config: unknown): string[] {
  const lines = Array.isArray(config)
    ? config.map(String)
    : entriesOf(config ?? {}).map(([key, value]) => `${key}=${tomlText(value)}`);
  return lines.flatMap((line) => ['-c', line]);
}

function mcpWords(name: string, { command, args, env = {} }: McpLaunch): string[] {
  // A dot would be a level of the table.
  const key = `mcp_servers.${name.replace(/[^\w-]/g, '_')}`;
  return configWords({
    [`${key}.command`]: command,
    [`${key}.args`]: args,
    ...(Object.keys(env).length > 0 && { [`${key}.env`]: env }),
  });
}

/** A value as TOML writes it. */
function tomlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  return `{${entriesOf(value)
    .map(([key, part]) => `${JSON.stringify(key)} = ${tomlText(part)}`)
    .join(', ')}}`;
}

/** TOML has no null: what is nothing is left out. */
function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
}
