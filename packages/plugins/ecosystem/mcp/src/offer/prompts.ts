/** Prompts of servers as commands: `/mcp:server:prompt argument…`. */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client';
import type { CommandFile } from '@tenon/discovery/api';
import type { Disposable } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { ImageContent } from '@tenon/models/api';
import type { ServerConnection } from '../connection/server-connection.ts';
import { errors } from '../errors.ts';

/** What was typed, taken apart. */
export interface PromptCommand {
  readonly server: string;
  readonly prompt: string;
  readonly words: readonly string[];
}

/** A prompt's text and images. */
export interface FilledPrompt {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/** Takes a command apart; undefined when it is none of ours. Names of servers may hold colons. */
export function parsePromptCommand(text: string, servers: readonly string[]): PromptCommand | undefined {
  const [, name, rest = ''] = /^\/mcp:(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const longest = [...servers].sort((a, b) => b.length - a.length).find((server) => name.startsWith(`${server}:`));
  const server = longest ?? name.split(':')[0] ?? '';
  const prompt = name.slice(server.length + 1);
  return prompt === '' ? undefined : { server, prompt, words: splitWords(rest) };
}

/** Words as a shell splits them: quotes hold words together. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_whole, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** The text of a prompt, from the server. */
export async function fillPrompt(
  connection: ServerConnection,
  { server, prompt, words }: PromptCommand,
  signal: AbortSignal,
): Promise<FilledPrompt> {
  await connection.connect();
  const prompts = connection.definitions?.prompts ?? [];
  const definition = prompts.find(({ name }) => name === prompt);
  if (!definition) {
    const hint = didYouMean(
      prompt,
      prompts.map(({ name }) => name),
    );
    throw errors.create('MCP_PROMPT_UNKNOWN', { server, prompt, hint });
  }
  const args = argumentsOf(definition, words);
  const missing = (definition.arguments ?? []).filter(({ name, required }) => required && args[name] === undefined);
  if (missing.length > 0) {
    const details = { server, prompt, missing: missing.map(({ name }) => name), usage: usageOf(definition) };
    throw errors.create('MCP_PROMPT_ARGUMENTS', details);
  }
  return toText(await connection.getPrompt(prompt, args, { signal }));
}

/** `name=value` by name, the others in order; what is left over belongs to the last one. */
function argumentsOf({ arguments: parameters = [] }: Prompt, words: readonly string[]): Record<string, string> {
  const args: Record<string, string> = {};
  const names = parameters.map(({ name }) => name);
  const free: string[] = [];
  for (const word of words) {
    const [, name = '', value = ''] = /^([\w.-]+)=([\s\S]*)$/.exec(word) ?? [];
    if (names.includes(name)) args[name] = value;
    else free.push(word);
  }
  const open = names.filter((name) => args[name] === undefined);
  for (const [index, name] of open.entries()) {
    const rest = index === open.length - 1 ? free.splice(0).join(' ') : free.shift();
    if (rest !== undefined && rest !== '') args[name] = rest;
  }
  return args;
}

function usageOf({ arguments: parameters = [] }: Prompt): string {
  return parameters.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

function toText({ messages }: GetPromptResult): FilledPrompt {
  const images: ImageContent[] = [];
  const isDialogue = messages.some(({ role }) => role === 'assistant');
  const texts = messages.flatMap(({ role, content }): string[] => {
    const label = isDialogue ? `${role === 'user' ? 'User' : 'Assistant'}: ` : '';
    if (content.type === 'text') return [label + content.text];
    if (content.type === 'resource' && 'text' in content.resource) {
      return [`${label}<resource uri="${content.resource.uri}">\n${content.resource.text}\n</resource>`];
    }
    if (content.type === 'resource_link') return [`${label}[Resource ${content.uri}]`];
    if (content.type !== 'image') return [`${label}[${content.type} that cannot be shown]`];
    images.push({ type: 'image', data: content.data, mimeType: content.mimeType });
    return [];
  });
  return { text: texts.join('\n\n'), images };
}

/** A command cannot be typed with spaces in its name, and the others mean something in the text of a command. */
const NOT_A_NAME = /[\s`!$@{}]/;

/** Lists prompts as commands, so that completion and help show them; they are filled in by the server when they are used. */
export class PromptOffer {
  readonly #contribute: (key: string, command: CommandFile, file: string) => Disposable;
  readonly #offered = new Map<string, Disposable>();

  constructor(contribute: (key: string, command: CommandFile, file: string) => Disposable) {
    this.#contribute = contribute;
  }

  set({ server }: ServerConnection, prompts: readonly Prompt[]): void {
    const prefix = `mcp:${server.name}:`;
    const names = new Set(prompts.map(({ name }) => prefix + name));
    for (const [key, entry] of this.#offered) {
      if (!key.startsWith(prefix) || names.has(key)) continue;
      this.#offered.delete(key);
      entry.dispose();
    }
    for (const prompt of prompts) {
      const name = prefix + prompt.name;
      if (this.#offered.has(name) || NOT_A_NAME.test(name)) continue;
      const description = prompt.description ?? prompt.title ?? `A prompt of the MCP server ${server.name}`;
      const usage = usageOf(prompt);
      const body = `Use the prompt "${prompt.name}" of the MCP server "${server.name}" with: $ARGUMENTS`;
      const command: CommandFile = {
        name,
        path: server.file,
        body,
        description,
        syntax: 'markdown',
        ...(usage !== '' && { argumentHint: usage }),
      };
      this.#offered.set(name, this.#contribute(name, command, server.file));
    }
  }
}
