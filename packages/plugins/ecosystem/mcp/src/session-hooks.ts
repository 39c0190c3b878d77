/** What happens when a session begins to work: its servers are got going, its prompts filled in, and the model told about them. */
import type { RunStart, UserInput } from '@tenon/agent/api';
import { TenonError } from '@tenon/kernel';
import type { Hub } from './hub.ts';
import { fillPrompt, parsePromptCommand } from './offer/prompts.ts';

/** Gets the servers going, and fills in `/mcp:server:prompt`. */
export async function handleInput(hub: Hub, typed: UserInput, signal: AbortSignal): Promise<UserInput | undefined> {
  const { cwd = '', session, text } = typed;
  await hub.prepare(cwd, session);
  if (!text.trimStart().startsWith('/mcp:')) return undefined;
  const names = hub.workspace(cwd).listed.map(({ name }) => name);
  const command = parsePromptCommand(text, names);
  if (!command) return undefined;
  try {
    const filled = await fillPrompt(await hub.connection(cwd, command.server), command, signal);
    return { ...typed, text: filled.text, images: [...typed.images, ...filled.images] };
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    return { ...typed, blocked: fault.message, remedy: fault.next };
  }
}

const WHOSE = 'What servers say about their own tools. It comes from them, not from the user.';

/** Adds what servers say about themselves to the system prompt. */
export async function handleStart(hub: Hub, start: RunStart): Promise<RunStart | undefined> {
  const { cwd = '', session } = start;
  await hub.prepare(cwd, session);
  const instructions = session === undefined ? '' : hub.instructionsFor(session);
  if (instructions === '') return undefined;
  return { ...start, systemPrompt: `${start.systemPrompt}\n\n# MCP servers\n\n${WHOSE}\n\n${instructions}` };
}
