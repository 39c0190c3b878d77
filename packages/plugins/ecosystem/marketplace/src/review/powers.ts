/** What the parts of a plugin do beyond informing the model, one plain line each; equal lines are equal powers. */
import type { CommandFile, ExternalHook, LspServerConfig, McpServerConfig, Skill } from '@tenon/discovery/api';

/** Something that runs, reaches out, or is granted. */
export interface Power {
  readonly kind: 'hook' | 'mcp' | 'lsp' | 'module' | 'shell' | 'tools' | 'pack' | 'permission' | 'signature';
  readonly text: string;
}

/** What was found in a plugin. */
export interface FoundParts {
  readonly hooks: readonly ExternalHook[];
  readonly mcp: readonly McpServerConfig[];
  readonly lsp: readonly LspServerConfig[];
  readonly commands: readonly CommandFile[];
  readonly skills: readonly Skill[];
  readonly modules: readonly { readonly what: string; readonly path: string }[];
}

/** Lists them. */
export function powersOf({ hooks, mcp, lsp, commands, skills, modules }: FoundParts): Power[] {
  const all: Power[] = [
    ...hooks.map((hook): Power => ({ kind: 'hook', text: hookText(hook) })),
    ...mcp.map((server): Power => ({ kind: 'mcp', text: mcpText(server) })),
    ...lsp.map((server): Power => ({ kind: 'lsp', text: lspText(server) })),
    ...modules.map(({ what, path }): Power => ({ kind: 'module', text: `${what} ${path}: code that is loaded` })),
    ...commands.flatMap(({ name, body, syntax }) =>
      shellLines(body, syntax).map((line): Power => ({ kind: 'shell', text: `/${name} runs: ${line}` })),
    ),
    ...[
      ...commands.map(({ name, allowedTools }) => ({ name: `/${name}`, allowedTools })),
      ...skills.map(({ name, allowedTools }) => ({ name: `skill ${name}`, allowedTools })),
    ].flatMap(({ name, allowedTools = [] }) =>
      allowedTools.length === 0
        ? []
        : [{ kind: 'tools', text: `${name} names the tools ${allowedTools.join(', ')}` } as const],
    ),
  ];
  return [...new Map(all.map((power) => [`${power.kind} ${power.text}`, power])).values()];
}

function hookText(hook: ExternalHook): string {
  const { event, matcher, type, command, argv, prompt } = hook;
  const when = matcher === undefined || matcher === '' || matcher === '*' ? event : `${event} (${matcher})`;
  const { url, headers = {} } = hook as { readonly url?: string; readonly headers?: Readonly<Record<string, string>> };
  if (url !== undefined)
    return `on ${when} sends what happens to ${url}${Object.entries(headers)
      .map(([name, value]) => `; ${name}: ${value}`)
      .join('')}`;
  if (type === 'prompt') return `on ${when} asks a model: ${prompt ?? ''}`;
  return `on ${when} runs: ${command ?? commandLine(argv ?? [])}`;
}

function mcpText({ name, command, args = [], env = {}, cwd, url, headers = {}, type }: McpServerConfig): string {
  const with_ = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const sent = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  if (command === undefined)
    return `server "${name}" connects to ${url ?? ''} (${type}${sent.length > 0 ? `; ${sent.join('; ')}` : ''})`;
  const place = cwd === undefined ? '' : ` in ${cwd}`;
  return `server "${name}" runs: ${commandLine([command, ...args])}${place}${with_.length > 0 ? ` with ${with_.join(' ')}` : ''}`;
}

function lspText({ name, command, args = [], env = {} }: LspServerConfig): string {
  const with_ = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return `language server "${name}" runs: ${commandLine([command, ...args])}${with_.length > 0 ? ` with ${with_.join(' ')}` : ''}`;
}

/** Words with spaces in quotes, so that one argument cannot look like several. */
function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:=@%+,${}~-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** The shell lines that a command runs before its text goes to the model. */
function shellLines(body: string, syntax: CommandFile['syntax']): string[] {
  const pattern = syntax === 'gemini' ? /!\{([^}]*)\}/g : /!`([^`\n]+)`|^!(?!\[)(.+)$/gm;
  return [...body.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? '').trim()).filter((line) => line !== '');
}
