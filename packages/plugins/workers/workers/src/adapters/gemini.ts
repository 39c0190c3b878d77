/** Gemini CLI. */
import { join } from 'node:path';
import type { WorkerAdapter, WorkerCommand, WorkerFile, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { mcpServers } from '../command/mcp-servers.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { geminiReader } from './gemini/events.ts';
import { spec } from './gemini/spec.ts';

const STYLE = { equals: true } as const;

/** Drives `gemini -p`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { model }) => ({
    program: spec.program,
    args: ['--resume', session, ...(model === undefined ? [] : ['-m', model])],
    env: interactiveEnv(spec),
  }),
  parser: (context) => eventParser(context, geminiReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, yolo = true, session } = task;
  const text = taskText(task, spec.capabilities);
  const settings = settingsFile(task);
  return {
    program: spec.program,
    args: [
      ...(task.model === undefined ? [] : flagWords('-m', task.model, STYLE)),
      ...(yolo && options['approvalMode'] === undefined ? ['--yolo'] : []),
      '--skip-trust',
      '--output-format',
      String(options['outputFormat'] ?? 'stream-json'),
      ...(session ? [session.how === 'resume' ? '--resume' : '--session-id', session.id] : []),
      ...(task.folders ?? []).flatMap((folder) => ['--include-directories', folder]),
      ...optionWords(spec, options, { ...STYLE, except: ['outputFormat'] }),
      ...(task.extraArgs ?? []),
      ...(text.word.startsWith('-') ? [`--prompt=${text.word}`] : ['-p', text.word]),
    ],
    env: commandEnv(spec, settings && { GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings.path }),
    files: [...text.files, ...(settings ? [settings] : [])],
  };
}

/** It has no flag for MCP servers; settings of the system come on top of the user's. */
function settingsFile(task: WorkerTask): WorkerFile | undefined {
  if (!task.mcp || Object.keys(task.mcp).length === 0) return undefined;
  const settings = { mcpServers: mcpServers(task.mcp) };
  return { path: join(task.scratch, 'gemini-settings.json'), text: `${JSON.stringify(settings, undefined, 2)}\n` };
}
