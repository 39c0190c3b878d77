/** Continue. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { guardedWord, taskText } from '../command/task-text.ts';
import { textParser } from '../parsing/text-parser.ts';
import { spec } from './continue/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `cn -p`. It can only go on with its last session, whichever that is, so runs do not resume. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  parser: (context) =>
    textParser(context, {
      banners: [/^(?:ℹ|i) +Using /, /^Using (?:assistant|agent|config)/i, /^\(node:\d+\) /],
      errors: [/^Error: /, /^✖ /],
    }),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true } = task;
  const text = taskText(task, spec.capabilities);
  const isReadOnly = options['readonly'] === true;
  return {
    program: spec.program,
    args: [
      '-p',
      '--silent',
      // Without it, tools that would ask are left out.
      ...(yolo && !isReadOnly && options['allow'] === undefined ? ['--auto'] : []),
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      ...optionWords(spec, options, STYLE),
      ...(task.extraArgs ?? []),
      // One word may be the name of a command of cn.
      guardedWord(text.word, /^-|^\S*$/),
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
