/** Kimi Code. */
import { join } from 'node:path';
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { flagWords, optionWords } from '../command/options.ts';
import { taskText } from '../command/task-text.ts';
import { mcpServers } from '../command/mcp-servers.ts';
import { eventParser } from '../parsing/event-parser.ts';
import { kimiReader } from './kimi/events.ts';
import { MCP_FILE, prepareHome } from './kimi/home.ts';
import { findSession } from './kimi/sessions.ts';
import { spec } from './kimi/spec.ts';
import { findUsage } from './kimi/wire-usage.ts';

const STYLE = { equals: true } as const;

/** Drives `kimi -p`. */
export const adapter: WorkerAdapter = {
  spec,
  command,
  interactive: (session, { model }) => ({
    program: spec.program,
    args: ['--session', session, ...(model === undefined ? [] : ['-m', model])],
    env: interactiveEnv(spec),
  }),
  prepare: prepareHome,
  findSession,
  findUsage,
  parser: (context) => eventParser(context, kimiReader()),
};

function command(task: WorkerTask): WorkerCommand {
  const { options = {}, session } = task;
  const text = taskText(task, spec.capabilities);
  const servers = mcpServers(task.mcp ?? {});
  const hasServers = Object.keys(servers).length > 0;
  return {
    program: spec.program,
    args: [
      ...(session?.how === 'resume' ? ['--session', session.id] : []),
      '--output-format',
      String(options['outputFormat'] ?? 'stream-json'),
      ...(task.model === undefined ? [] : flagWords('-m', task.model, STYLE)),
      ...(task.folders ?? []).flatMap((folder) => flagWords('--add-dir', folder, STYLE)),
      ...optionWords(spec, options, { ...STYLE, except: ['outputFormat'] }),
      ...(task.extraArgs ?? []),
      // With -p it asks nobody; --yolo beside it is an error.
      ...(text.word.startsWith('-') ? [`--prompt=${text.word}`] : ['-p', text.word]),
    ],
    env: commandEnv(spec, loopEnv(options)),
    files: [
      ...text.files,
      ...(hasServers
        ? [{ path: join(task.scratch, MCP_FILE), text: `${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n` }]
        : []),
    ],
  };
}

/** Limits that were flags once and are variables today. */
function loopEnv(options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const { maxStepsPerTurn: steps, maxRetriesPerStep: retries, thinking } = options;
  return {
    ...(typeof steps === 'number' && { KIMI_LOOP_MAX_STEPS_PER_TURN: String(steps) }),
    // It counts the first attempt, too.
    ...(typeof retries === 'number' && { KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: String(retries + 1) }),
    ...(typeof thinking === 'string' && { KIMI_MODEL_THINKING_EFFORT: thinking }),
  };
}
