/** What the flags say about the agent: model, thinking, tools, system prompt. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import type { ThinkingLevel } from '@tenon/models/api';
import type { AgentSetup } from './api.ts';
import { errors } from './errors.ts';

type Flags = CommandCall['flags'];

/** Reads the flags. */
export async function agentSetup(flags: Flags, cwd: string): Promise<AgentSetup> {
  const [model, thinking, tools] = [textFlag(flags, 'model'), textFlag(flags, 'thinking'), textFlag(flags, 'tools')];
  const systemPrompt = await textOrFile(textFlag(flags, 'system-prompt'), cwd);
  const appendSystemPrompt = await textOrFile(textFlag(flags, 'append-system-prompt'), cwd);
  return {
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking: thinking as ThinkingLevel }),
    ...(tools !== undefined && {
      tools: tools
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  };
}

/** The value of a flag that takes one; nothing when it was not given. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

async function textOrFile(given: string | undefined, cwd: string): Promise<string | undefined> {
  if (given === undefined || !given.startsWith('@')) return given;
  const file = given.slice(1);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (fault) {
    throw errors.create('MODES_FILE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
}
