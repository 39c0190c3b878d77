/** Amp. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { mcpFile } from '../command/mcp-servers.ts';
import { optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { ampReader } from './amp/events.ts';
import { spec } from './amp/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `amp --execute`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session) => ({
    program: spec.program,
    args: ['threads', 'continue', session],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, ampReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true, session } = task;
  const text = taskText(task, spec.capabilities);
  const mcp = mcpFile(task);
  const allowsAll = options['dangerouslyAllowAll'] ?? yolo;
  return {
    program: spec.program,
    args: [
      ...(session?.how === 'resume' ? ['threads', 'continue', session.id] : []),
      '--no-ide',
      ...(allowsAll === true ? ['--dangerously-allow-all'] : []),
      ...(mcp && options['mcpConfig'] === undefined ? ['--mcp-config', mcp.path] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['dangerouslyAllowAll'] }),
      ...(task.extraArgs ?? []),
      '--stream-json',
      ...(text.word.startsWith('-') ? [`--execute=${text.word}`] : ['-x', text.word]),
    ],
    env: commandEnv(spec),
    files: [...text.files, ...(mcp ? [mcp] : [])],
  };
}
