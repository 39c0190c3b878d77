/** Cursor's agent. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { guardedWord, taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { cursorReader } from './cursor-agent/events.ts';
import { spec } from './cursor-agent/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `cursor-agent -p`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { model }) => ({
    program: spec.program,
    args: ['--resume', session, ...(model === undefined ? [] : ['--model', model])],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, cursorReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true, session } = task;
  const text = taskText(task, spec.capabilities);
  return {
    program: spec.program,
    args: [
      '-p',
      '--output-format',
      String(options['outputFormat'] ?? 'stream-json'),
      ...(yolo ? ['--force'] : []),
      // It asks about every new folder, and nobody answers.
      '--trust',
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      // `--resume` alone asks which one.
      ...(session?.how === 'resume' ? [`--resume=${session.id}`] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['outputFormat'] }),
      ...(task.extraArgs ?? []),
      // One word may be the name of a command of it.
      guardedWord(text.word, /^-|^\S*$/),
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
