/** Forge. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { textParser } from '../parsing/text-parser.ts';
import { forgeText } from './forge/text.ts';
import { spec } from './forge/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `forge --prompt`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { cwd }) => ({
    program: spec.program,
    args: ['--conversation-id', session, '-C', cwd],
    env: interactiveEnv(spec),
  }),
  parser: (context) => textParser(context, forgeText),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, session } = task;
  const text = taskText(task, spec.capabilities);
  return {
    program: spec.program,
    args: [
      ...flagWords('-C', String(options['directory'] ?? task.cwd), STYLE),
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      ...(session?.how === 'resume' ? ['--conversation-id', session.id] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['directory'] }),
      ...(task.extraArgs ?? []),
      // With a prompt it asks nobody.
      ...(text.word.startsWith('-') ? [`--prompt=${text.word}`] : ['--prompt', text.word]),
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
