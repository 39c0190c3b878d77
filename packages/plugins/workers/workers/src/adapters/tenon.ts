/** Tenon itself. */
import { ownProgram } from '@tenon/host';
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { tenonReader } from './tenon/events.ts';
import { prepareHome } from './tenon/home.ts';
import { spec } from './tenon/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `tenon -p --mode json`. */
export const adapter: WorkerAdapter = {
  spec,
  start: () => ownProgram(),
  command,
  interactive: (session, { model }) => {
    const [program, ...words] = ownProgram();
    const args = [...words, '--resume', session, ...(model === undefined ? [] : ['--model', model])];
    return { program, args, env: interactiveEnv(spec) };
  },
  prepare: prepareHome,
  parser: (context) => eventParser(context, tenonReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, session } = task;
  const [program, ...words] = ownProgram();
  const text = taskText(task, spec.capabilities);
  const instructions = [task.systemPrompt, options['appendSystemPrompt']].filter(Boolean).join('\n\n');
  return {
    program,
    args: [
      ...words,
      '-p',
      '--mode',
      'json',
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      ...(session?.how === 'resume' ? ['--resume', session.id] : []),
      ...(instructions === '' ? [] : flagWords('--append-system-prompt', instructions, STYLE)),
      ...(task.schema ? ['--json-schema', JSON.stringify(task.schema)] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['appendSystemPrompt'] }),
      ...(task.extraArgs ?? []),
      '--',
      text.word,
    ],
    env: commandEnv(spec),
    files: text.files,
  };
}
