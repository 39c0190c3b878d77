/** What extensions import of pi-coding-agent when they run. Types need nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { execCommand } from '../exec.ts';
import * as builtIn from './built-in-tools.ts';
import { CustomEditor, themedParts } from '../custom-editor.ts';
import { componentThemes, type PiTheme } from './theme.ts';
import { getEditorKeybindings } from './keybindings.ts';
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  GREP_MAX_LINE_LENGTH,
  truncateHead,
  truncateLine,
  truncateTail,
} from './truncate.ts';
import { Loader } from './tui-loader.ts';

type Fields = Record<string, unknown>;

const isResultOf = (tool: string) => (event: Fields) => event?.['toolName'] === tool;

/** Makes the module for a home folder. */
export function createCodingAgent(about: {
  readonly home: string;
  readonly cwd: string;
  readonly confined: string | undefined;
  readonly theme: PiTheme;
}): Record<string, unknown> {
  const { theme } = about;
  const agentDir = () => process.env['PI_CODING_AGENT_DIR'] ?? join(about.home, '.pi', 'agent');
  const all = (cwd = about.cwd) => ({
    read: builtIn.createReadTool(cwd),
    bash: builtIn.createBashTool(cwd),
    edit: builtIn.createEditTool(cwd),
    write: builtIn.createWriteTool(cwd),
    grep: builtIn.createGrepTool(cwd),
    find: builtIn.createFindTool(cwd),
    ls: builtIn.createLsTool(cwd),
  });
  return {
    VERSION: '0.0.0-tenon',
    CONFIG_DIR_NAME: '.pi',
    APP_NAME: 'tenon',
    getAgentDir: agentDir,
    getProjectAgentDir: (cwd = about.cwd) => join(cwd, '.pi'),
    getPackageDir: () => agentDir(),
    getDocsPath: () => join(agentDir(), 'docs'),
    createReadTool: builtIn.createReadTool,
    createBashTool: builtIn.createBashTool,
    createEditTool: builtIn.createEditTool,
    createWriteTool: builtIn.createWriteTool,
    createGrepTool: builtIn.createGrepTool,
    createFindTool: builtIn.createFindTool,
    createLsTool: builtIn.createLsTool,
    createLocalBashOperations: builtIn.createLocalBashOperations,
    withFileMutationQueue: builtIn.withFileMutationQueue,
    createReadToolDefinition: builtIn.createReadTool,
    createBashToolDefinition: builtIn.createBashTool,
    createEditToolDefinition: builtIn.createEditTool,
    createWriteToolDefinition: builtIn.createWriteTool,
    createGrepToolDefinition: builtIn.createGrepTool,
    createFindToolDefinition: builtIn.createFindTool,
    createLsToolDefinition: builtIn.createLsTool,
    createAllTools: all,
    createCodingTools: (cwd?: string) => {
      const { read, bash, edit, write } = all(cwd);
      return [read, bash, edit, write];
    },
    createReadOnlyTools: (cwd?: string) => {
      const { read, grep, find, ls } = all(cwd);
      return [read, grep, find, ls];
    },
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_LINES,
    GREP_MAX_LINE_LENGTH,
    formatSize,
    truncateHead,
    truncateLine,
    truncateTail,
    defineTool: <T>(tool: T): T => tool,
    isToolCallEventType: (tool: string, event: Fields) => event?.['toolName'] === tool,
    isBashToolResult: isResultOf('bash'),
    isReadToolResult: isResultOf('read'),
    isEditToolResult: isResultOf('edit'),
    isWriteToolResult: isResultOf('write'),
    isGrepToolResult: isResultOf('grep'),
    isFindToolResult: isResultOf('find'),
    isLsToolResult: isResultOf('ls'),
    execCommand: (
      command: string,
      args: readonly string[],
      cwd = about.cwd,
      options?: Parameters<typeof execCommand>[3],
    ) => execCommand(command, args, cwd, options, about.confined),
    createEventBus: () => {
      throw new Error('Use pi.events instead of a bus of your own.');
    },
    parseFrontmatter,
    stripFrontmatter: (text: string) => parseFrontmatter(text).body,
    convertToLlm,
    serializeConversation,
    estimateTokens: (message: unknown) => Math.ceil(JSON.stringify(message).length / 4),
    createSyntheticSourceInfo: (path: string, options: Fields = {}) => ({
      path,
      source: 'extension',
      scope: 'temporary',
      origin: 'top-level',
      ...options,
    }),
    initTheme: () => undefined,
    theme,
    Theme: Object,
    ...componentThemes(theme),
    ...themedParts(theme),
    getLanguageFromPath: (path: string) => /\.([a-z0-9]+)$/i.exec(path)?.[1],
    highlightCode: (code: string) => code.split('\n'),
    renderDiff: (diff: string) =>
      diff
        .split('\n')
        .map((line) => diffLine(theme, line))
        .join('\n'),
    keyHint: (key: string, text: string) => hint(theme, getEditorKeybindings().getDisplayString(key) || key, text),
    rawKeyHint: (key: string, text: string) => hint(theme, key, text),
    keyText: (key: string) => getEditorKeybindings().getDisplayString(key) || key,
    appKeyHint: (_keys: unknown, key: string, text: string) => `${key} ${text}`,
    editorKey: (key: string) => key,
    SettingsManager: createSettingsManager(agentDir, about.cwd),
    CustomEditor,
    Loader,
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  };
}

function diffLine(theme: PiTheme, line: string): string {
  const role = line.startsWith('+') ? 'toolDiffAdded' : line.startsWith('-') ? 'toolDiffRemoved' : 'toolDiffContext';
  return theme.fg(role, line);
}

function hint(theme: PiTheme, key: string, text: string): string {
  return `${theme.fg('dim', key)}${theme.fg('muted', ` ${text}`)}`;
}

/** Settings of pi, as far as they can be read here. They cannot be changed. */
function createSettingsManager(agentDir: () => string, here: string): Fields {
  const make = (cwd = here) => {
    const global = readSettings(join(agentDir(), 'settings.json'));
    const project = readSettings(join(cwd, '.pi', 'settings.json'));
    const known: Fields = {
      getGlobalSettings: () => ({ ...global }),
      getProjectSettings: () => ({ ...project }),
      getSettings: () => ({ ...global, ...project }),
      reload: async () => undefined,
      flush: async () => undefined,
    };
    const setting = (name: string) => {
      const key = name.slice(3, 4).toLowerCase() + name.slice(4);
      return () => project[key] ?? global[key];
    };
    return new Proxy(known, {
      get: (target, name) => {
        if (typeof name !== 'string' || name in target || name === 'then') return Reflect.get(target, name) as unknown;
        return name.startsWith('get') ? setting(name) : () => undefined;
      },
    });
  };
  return { create: make, inMemory: () => make() };
}

function readSettings(file: string): Fields {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : {};
  } catch {
    return {}; // pi takes defaults where there is no file, or none that it can read.
  }
}

/** The header between `---` lines, and the text after it. */
function parseFrontmatter(text: string): { frontmatter: Fields; body: string } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) return { frontmatter: {}, body: text };
  const parsed: unknown = parseYaml(match[1] ?? '');
  const frontmatter = typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : {};
  return { frontmatter, body: text.slice(match[0].length) };
}

/** The messages that a model understands: those that only people see become text of the user, or go. */
function convertToLlm(messages: readonly Fields[]): Fields[] {
  return messages.flatMap((message): Fields[] => {
    const { role, content, timestamp } = message;
    if (role === 'user' || role === 'assistant' || role === 'toolResult') return [message];
    const said = (text: string) => [{ role: 'user', content: [{ type: 'text', text }], timestamp }];
    if (role === 'custom' || role === 'hookMessage')
      return [
        { role: 'user', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content, timestamp },
      ];
    if (role === 'bashExecution' && message['excludeFromContext'] !== true)
      return said(`I ran \`${String(message['command'])}\`, which printed:\n${String(message['output'])}`);
    if (role === 'branchSummary' || role === 'compactionSummary')
      return said(`Summary of what came before:\n${String(message['summary'])}`);
    return [];
  });
}

/** A conversation as text, for summaries. */
function serializeConversation(messages: readonly Fields[]): string {
  return messages
    .map(({ role, content, toolName }) => {
      const blocks = Array.isArray(content) ? (content as Fields[]) : [{ type: 'text', text: String(content ?? '') }];
      const lines = blocks.flatMap((block) => {
        if (block['type'] === 'text') return [String(block['text'])];
        if (block['type'] === 'thinking') return [`(thinks) ${String(block['thinking'])}`];
        if (block['type'] === 'toolCall')
          return [`(calls ${String(block['name'])}) ${JSON.stringify(block['arguments'])}`];
        return [`(${String(block['type'])})`];
      });
      const who = role === 'toolResult' ? `Result of ${String(toolName)}` : role === 'user' ? 'User' : 'Assistant';
      return `[${who}]: ${lines.join('\n')}`;
    })
    .join('\n\n');
}
