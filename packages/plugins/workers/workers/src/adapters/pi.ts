/** pi. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { optionWords } from '../command/options.ts';
import { guardedWord, taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { piReader } from './pi/events.ts';
import { spec } from './pi/spec.ts';

/** It knows neither `--flag=value` nor `--`. */
const STYLE = { equals: false } as const;
const HANDLED = ['mode', 'print', 'appendSystemPrompt', 'files'];

/** Drives `pi --mode json`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { model }) => ({
    program: spec.program,
    args: ['--session', session, ...(model === undefined ? [] : ['--model', model])],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, piReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, session } = task;
  const text = taskText(task, spec.capabilities);
  const instructions = [task.systemPrompt, options['appendSystemPrompt']].filter(Boolean).join('\n\n');
  const files = Array.isArray(options['files']) ? options['files'] : [];
  return {
    program: spec.program,
    args: [
      '--mode',
      String(options['mode'] ?? 'json'),
      ...optionWords(spec, options, { ...STYLE, except: HANDLED }),
      ...(task.model === undefined ? [] : ['--model', task.model]),
      ...(session ? [session.how === 'resume' ? '--session' : '--session-id', session.id] : []),
      ...(instructions === '' ? [] : ['--append-system-prompt', instructions]),
      ...(task.extraArgs ?? []),
      ...files.map((file) => `@${String(file)}`),
      '-p',
      guardedWord(text.word, /^[-@]/),
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
