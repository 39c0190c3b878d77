/** Cline. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { guardedWord, taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { clineReader } from './cline/events.ts';
import { spec } from './cline/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `cline --json`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { cwd, model }) => ({
    program: spec.program,
    args: ['--tui', '--id', session, '--cwd', cwd, ...(model === undefined ? [] : ['--model', model])],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, clineReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true, session } = task;
  const text = taskText(task, spec.capabilities);
  return {
    program: spec.program,
    args: [
      '--json',
      ...['--auto-approve', String(options['autoApprove'] ?? yolo)],
      ...flagWords('--cwd', task.cwd, STYLE),
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      ...(session?.how === 'resume' ? ['--id', session.id] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['autoApprove'] }),
      ...(task.extraArgs ?? []),
      // One word may be the name of a command of Cline.
      guardedWord(text.word, /^-|^\S*$/),
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
