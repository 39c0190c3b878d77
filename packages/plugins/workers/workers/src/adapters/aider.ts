/** Aider. */
import { join } from 'node:path';
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { textParser } from '../parsing/text-parser.ts';
import { aiderText } from './aider/text.ts';
import { spec } from './aider/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `aider --message`. It has no sessions. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  parser: (context) => textParser(context, aiderText),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true } = task;
  const text = taskText(task, spec.capabilities);
  return {
    program: spec.program,
    args: [
      ...(yolo ? ['--yes-always'] : []),
      ...['--no-stream', '--no-pretty', '--no-fancy-input', '--no-check-update', '--no-show-model-warnings'],
      ...['--analytics-disable', '--no-detect-urls'],
      // Otherwise it writes its histories, and an entry for them in .gitignore, into the project.
      '--no-gitignore',
      ...['--chat-history-file', join(task.scratch, 'aider-chat.md')],
      ...['--input-history-file', join(task.scratch, 'aider-input')],
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      ...optionWords(spec, options, STYLE),
      ...(task.extraArgs ?? []),
      `--message=${text.word}`,
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
