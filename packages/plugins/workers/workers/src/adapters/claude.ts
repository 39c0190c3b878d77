/** Claude Code. */
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { mcpFile } from '../command/mcp-servers.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { claudeReader } from './claude/events.ts';
import { spec } from './claude/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `claude -p`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { model }) => ({
    program: spec.program,
    args: ['--resume', session, ...(model === undefined ? [] : ['--model', model])],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, claudeReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true, session } = task;
  const format = options['outputFormat'] ?? 'stream-json';
  const text = taskText(task, spec.capabilities);
  const mcp = mcpFile(task);
  const instructions = [task.systemPrompt, options['appendSystemPrompt']].filter(Boolean).join('\n\n');
  const skips = yolo && options['permissionMode'] === undefined;
  return {
    program: spec.program,
    args: [
      '-p',
      // stream-json is refused without it; with json it would make a list of the result.
      ...(format === 'stream-json' ? ['--verbose'] : []),
      '--output-format',
      String(format),
      ...(skips ? ['--dangerously-skip-permissions'] : []),
      ...(task.model === undefined ? [] : flagWords('--model', task.model, STYLE)),
      ...(session ? [session.how === 'resume' ? '--resume' : '--session-id', session.id] : []),
      ...(instructions === '' ? [] : flagWords('--append-system-prompt', instructions, STYLE)),
      ...(task.folders ?? []).flatMap((folder) => ['--add-dir', folder]),
      ...(task.schema ? ['--json-schema', JSON.stringify(task.schema)] : []),
      ...(mcp ? ['--mcp-config', mcp.path] : []),
      ...optionWords(spec, options, { ...STYLE, except: ['outputFormat', 'appendSystemPrompt'] }),
      ...(task.extraArgs ?? []),
      // Several flags take any number of words: without this the task would be one of them.
      '--',
      text.word,
    ],
    env: commandEnv(spec, {
      // As root it skips questions only where somebody says that a sandbox is around it.
      ...(skips && process.getuid?.() === 0 && { IS_SANDBOX: '1' }),
    }),
    files: [...text.files, ...(mcp ? [mcp] : [])],
  };
}
