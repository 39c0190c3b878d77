/** opencode. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { guardedWord, taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { opencodeReader } from './opencode/events.ts';
import { spec } from './opencode/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `opencode run`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { cwd, model }) => ({
    program: spec.program,
    args: [cwd, '--session', session, ...(model === undefined ? [] : ['-m', model])],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, opencodeReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true, session } = task;
  const text = taskText(task, spec.capabilities);
  return {
    program: spec.program,
    args: [
      'run',
      '--format',
      String(options['format'] ?? 'json'),
      ...(yolo ? ['--auto'] : []),
      ...(task.model === undefined ? [] : flagWords('-m', task.model, STYLE)),
      ...(session?.how === 'resume' ? ['--session', session.id] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['format'] }),
      ...(task.extraArgs ?? []),
      // `--file` takes any number of words.
      ...(options['file'] === undefined ? [] : ['--']),
      guardedWord(text.word, /^-/),
    ],
    env: commandEnv(spec, configEnv(task)),
    files: text.files,
  };
}

/** It has no flag for MCP servers; this variable comes on top of all settings files. */
function configEnv({ mcp = {} }: WorkerTask): Readonly<Record<string, string>> {
  const servers = Object.entries(mcp).map(([name, { command: program, args, env }]) => [
    name,
    { type: 'local', command: [program, ...args], enabled: true, ...(env && { environment: env }) },
  ]);
  if (servers.length === 0) return {};
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: Object.fromEntries(servers) as unknown }) };
}
