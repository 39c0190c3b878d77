/** Slash commands as prompts: command files, prompts and skills. Commands that act on a conversation of Tenon's are not offered. */
import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { SlashCommandInfo, SlashCommands } from '@tenon/slash-commands/api';
import { shellWord } from '@tenon/wording';

/** What prompts need. */
export interface PromptsHost {
  readonly cwd: string;
  readonly commands: SlashCommands;
  /** What stands behind a resource of this server; nothing when it is none. */
  readResource(uri: string): Promise<ReadResourceResult | undefined>;
}

const OFFERED: ReadonlySet<string> = new Set(['command', 'prompt', 'skill']);
/** What follows a command that does not say what it takes. */
const REST = 'arguments';

/** The prompts of a folder. */
export async function listPrompts({ commands, cwd }: Pick<PromptsHost, 'commands' | 'cwd'>): Promise<Prompt[]> {
  const known = await commands.list({ cwd });
  return known.filter(({ kind }) => OFFERED.has(kind)).map(promptOf);
}

function promptOf(info: SlashCommandInfo): Prompt {
  const { name, description, kind } = info;
  return {
    name,
    description: description ?? `The ${kind} ${name}`,
    arguments: argumentsOf(info).map((argument) => ({ name: argument, required: false })),
  };
}

/** The words of a hint such as `[file] [reason]`, or one for all that follows. */
function argumentsOf({ argumentHint = '' }: SlashCommandInfo): string[] {
  const names = [...argumentHint.matchAll(/[[<{]([\w-]+)[\]>}]/g)].map(([, name = '']) => name);
  return names.length > 0 ? [...new Set(names)] : [REST];
}

/** One prompt, filled in. A resource of this server among the arguments goes along with its content. */
export async function getPrompt(
  host: PromptsHost,
  name: string,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<GetPromptResult> {
  const { commands, cwd } = host;
  const info = (await commands.list({ cwd }, signal)).find((one) => one.name === name && OFFERED.has(one.kind));
  if (!info) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}".`);
  const outcome = await commands.expand(`/${name} ${argumentText(info, given)}`.trim(), { cwd, signal });
  if (outcome?.kind !== 'prompt') {
    const reason =
      outcome?.kind === 'refused'
        ? [outcome.reason, outcome.next].filter(Boolean).join(' ')
        : 'it is not a prompt for a model';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt "${name}" cannot be used: ${reason}`);
  }
  const { text, images = [] } = outcome;
  const embedded = await Promise.all(Object.values(given).map((value) => host.readResource(value)));
  const resources = embedded.flatMap((read) => read?.contents ?? []);
  const message = (content: GetPromptResult['messages'][number]['content']) => ({ role: 'user' as const, content });
  return {
    description: promptOf(info).description ?? name,
    messages: [
      ...resources.map((resource) => message({ type: 'resource', resource })),
      ...images.map(({ data, mimeType }) => message({ type: 'image', data, mimeType })),
      message({ type: 'text', text }),
    ],
  };
}

/** The arguments in the order of the hint, each as one word; those that it does not name come last. */
function argumentText(info: SlashCommandInfo, given: Readonly<Record<string, string>>): string {
  const named = argumentsOf(info);
  if (named.length === 1 && named[0] === REST && given[REST] !== undefined) return given[REST];
  const order = [...named, ...Object.keys(given).filter((name) => !named.includes(name))];
  return order.flatMap((name) => (given[name] === undefined ? [] : [shellWord(given[name])])).join(' ');
}
