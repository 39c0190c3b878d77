/** Every kind of thing that is discovered: its slot, what one of it is called, and how it is told apart. */
import { counted } from '@tenon/wording';
import type { Slot } from '@tenon/kernel';
import * as slots from './api.ts';

/** What is said about a kind. */
export interface Kind {
  readonly slot: Slot<unknown>;
  /** In the setting `discovery.disabled`: `skill:name`. */
  readonly singular: string;
  readonly title: string;
  /** One line about a thing, for lists. */
  readonly describe: (value: never) => string;
}

function kind<V>(slot: Slot<V>, singular: string, title: string, describe: (value: V) => string): Kind {
  return { slot: slot as Slot<unknown>, singular, title, describe: describe as Kind['describe'] };
}

const nothing = () => '';

/** Kinds in the order in which they are listed. */
export const KINDS: readonly Kind[] = [
  kind(slots.contextFiles, 'context-file', 'Context files', ({ content }) => counted(content.length, 'character')),
  kind(slots.skills, 'skill', 'Skills', ({ description }) => description),
  kind(slots.rules, 'rule', 'Rules', (rule) => describeRule(rule)),
  kind(slots.commands, 'command', 'Commands', ({ description, body }) => description ?? firstLine(body)),
  kind(slots.prompts, 'prompt', 'Prompts', ({ description, body }) => description ?? firstLine(body)),
  kind(
    slots.instructions,
    'instruction',
    'Instructions',
    ({ applyTo, content }) => applyTo?.join(', ') ?? firstLine(content),
  ),
  kind(slots.externalHooks, 'hook', 'Hooks', (hook) => describeHook(hook)),
  kind(slots.hookModules, 'hook-module', 'Hook modules', nothing),
  kind(slots.toolModules, 'tool', 'Tools', nothing),
  kind(slots.agents, 'agent', 'Agents', ({ description }) => description),
  kind(slots.mcpServers, 'mcp', 'MCP servers', (server) => describeMcp(server)),
  kind(slots.lspServers, 'lsp', 'Language servers', ({ command, args = [] }) => [command, ...args].join(' ')),
  kind(slots.extensionModules, 'extension-module', 'Extensions', nothing),
  kind(slots.opencodeModules, 'opencode-module', 'OpenCode modules', ({ kind: what }) => what),
  kind(slots.foreignSettings, 'settings', 'Settings', ({ data }) => Object.keys(data).join(', ')),
  kind(
    slots.sshHosts,
    'ssh',
    'SSH hosts',
    ({ user, host, port }) => `${user ? `${user}@` : ''}${host}${port ? `:${port}` : ''}`,
  ),
  kind(slots.themes, 'theme', 'Themes', nothing),
  kind(slots.bundles, 'bundle', 'Bundles', ({ format, manifest }) => describeBundle(format, manifest)),
];

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

function describeRule({ description, globs, alwaysApply, condition, content }: slots.Rule): string {
  const when = condition ? 'watches the stream' : alwaysApply ? 'always' : globs?.join(', ');
  return [when, description ?? firstLine(content)].filter((part) => part !== undefined).join(': ');
}

function describeHook({ event, matcher, command, prompt, url, argv, type }: slots.ExternalHook): string {
  const when = matcher === undefined || matcher === '' ? event : `${event} (${matcher})`;
  const what = command ?? (prompt === undefined ? undefined : firstLine(prompt)) ?? url ?? argv?.join(' ') ?? type;
  return `${when}: ${what}`;
}

function describeMcp({ type, url, command, args = [], enabled }: slots.McpServerConfig): string {
  const how = url === undefined ? [command, ...args].join(' ') : `${type} ${url}`;
  return enabled === false ? `${how} (off)` : how;
}

function describeBundle(format: string, manifest: Readonly<Record<string, unknown>>): string {
  const { version, description } = manifest;
  const about = typeof description === 'string' ? `: ${firstLine(description)}` : '';
  return `${format}${typeof version === 'string' ? ` ${version}` : ''}${about}`;
}
