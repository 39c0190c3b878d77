/** `pi`, as factories get it: ExtensionAPI, HookAPI and CustomToolAPI in one. */
import type { Bridge, FlagShape, SessionScope, SessionState } from '../protocol.ts';
import type { EventBus } from './event-bus.ts';
import { execCommand } from './exec.ts';
import { plain } from './plain.ts';
import type { PendingCalls } from './pending-calls.ts';
import type {
  Callback,
  CommandDefinition,
  ProviderDefinition,
  Registrations,
  ToolDefinition,
  VirtualModelDefinition,
} from './registrations.ts';
import type { RuntimeScreen } from './screen.ts';
import { createUi } from './ui.ts';

/** What `pi` is made from. */
export interface ApiParts {
  readonly bridge: Bridge;
  readonly registrations: Registrations;
  readonly bus: EventBus;
  readonly screen: RuntimeScreen;
  readonly actions: PendingCalls;
  readonly modules: { readonly zod: unknown; readonly typebox: unknown; readonly pi: unknown };
  /** The name of the extension, when it runs in a sandbox. */
  readonly confined: string | undefined;
  readonly cwd: string;
  /** Of the extension. */
  readonly file: string;
  /** Where the running handler, tool or command belongs; else the session that was used last. Throws before there is one. */
  place(what: string): SessionScope;
  /** The same, without a session when there is none yet. */
  anyPlace(): SessionScope;
  refuse(what: string, instead: string): void;
  fault(where: string, fault: unknown): void;
}

/** Makes `pi`. Every method works without its object: extensions take them apart. */
export function createApi(parts: ApiParts): Record<string, unknown> {
  const { bridge, registrations, refuse } = parts;
  const later = (what: string, method: string, ...args: unknown[]) => {
    const place = parts.place(what);
    const done = bridge.call(method, place, ...args);
    done.catch((fault: unknown) => parts.fault(what, fault));
    return done;
  };
  const now = (what: string, method: string, ...args: unknown[]) => bridge.ask(method, parts.place(what), ...args);
  const state = (what: string) => now(what, 'state') as SessionState;
  const log = (level: string) => (message: unknown, fields?: unknown) =>
    void bridge.call('log', level, String(message), plain(fields)).catch(() => undefined); // the log is not worth a fault
  return {
    cwd: parts.cwd,
    zod: parts.modules.zod,
    typebox: parts.modules.typebox,
    pi: parts.modules.pi,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), time: () => undefined },
    events: parts.bus,
    get ui() {
      return createUi(parts.screen, parts.anyPlace());
    },
    get hasUI() {
      return (bridge.ask('state', parts.anyPlace()) as SessionState).hasUI;
    },

    on: (event: string, handler: unknown) => registrations.on(event, handler),
    registerTool: (tool: ToolDefinition) => registrations.tool(tool, 'extension'),
    registerCommand: (name: string, command: CommandDefinition) => registrations.command(name, command),
    registerShortcut: (key: unknown, shortcut: { description?: string; handler: Callback }) =>
      registrations.shortcut(key, shortcut),
    registerFlag: (name: string, flag: Omit<FlagShape, 'name'>) => registrations.flag({ ...flag, name }),
    getFlag: (name: string) => {
      const plainName = name.replace(/^--/, '');
      // As in pi, only flags that the extension itself registered have a value.
      const flag = registrations.flags.get(plainName);
      return flag && ((bridge.ask('flag', plainName) as string | boolean | null) ?? flag.default);
    },
    registerMessageRenderer: (type: string, renderer: Callback) => registrations.renderer(type, renderer),
    registerAssistantThinkingRenderer: (renderer: unknown) => registrations.thoughtRenderer(renderer),
    registerEntryRenderer: (type: string, renderer: Callback) => registrations.entryRenderer(String(type), renderer),
    registerToolRenderer: (first: unknown, renderers?: ToolDefinition) => {
      // A function decides for each tool; a name comes with what draws that tool.
      if (typeof first === 'function') registrations.toolResolver(first as Callback);
      else if (renderers) registrations.toolRenderer(String(first), renderers);
    },
    registerMarkdownTransformer: (transform: unknown) => {
      const run =
        typeof transform === 'function' ? transform : (transform as { transform?: unknown } | undefined)?.transform;
      if (typeof run === 'function') registrations.transformer(run as Callback);
    },
    registerMcpServer: (name: string, config: unknown) => registrations.mcpServer(name, config),
    unregisterMcpServer: (name: string) => registrations.removeMcpServer(String(name)),
    getMcpServers: () => [
      ...(bridge.ask('mcpServers') as readonly unknown[]),
      ...[...registrations.mcpServers].map(([name, config]) => ({ name, config, extensionPath: parts.file })),
    ],
    registerVirtualModel: (model: VirtualModelDefinition) => registrations.virtualModel(model),
    unregisterVirtualModel: (provider: string, id: string) => registrations.removeVirtualModel(provider, id),
    getSettings: () => ({}),
    registerComposerShape: () => refuse('registerComposerShape()', 'The input looks as Tenon draws it.'),
    registerFileWriteFallback: () => refuse('registerFileWriteFallback()', 'Writes that fail, fail.'),
    registerFileDeleteFallback: () => refuse('registerFileDeleteFallback()', 'Deletions that fail, fail.'),
    registerProvider: (name: string | object, provider?: ProviderDefinition) => {
      if (typeof name === 'string') registrations.provider(name, provider);
      else refuse('registerProvider() with an object', 'Give it a name and a configuration.');
    },
    unregisterProvider: (name: string) => registrations.provider(name, undefined),

    sendMessage: (message: unknown, options?: unknown) =>
      later('pi.sendMessage()', 'send', plain(message), plain(options ?? {})),
    sendUserMessage: (content: unknown, options?: unknown) =>
      later('pi.sendUserMessage()', 'sendUser', plain(content), plain(options ?? {})),
    appendEntry: (type: string, data?: unknown) => now('pi.appendEntry()', 'append', type, plain(data)),
    setLabel: (entryOrLabel: string, ...rest: (string | undefined)[]) => {
      // With one argument it names the extension; with two, an entry of the session.
      if (rest.length === 0) registrations.setLabel(entryOrLabel);
      else now('pi.setLabel()', 'label', entryOrLabel, rest[0]);
    },
    setSessionName: (name: string) => now('pi.setSessionName()', 'setName', String(name)),
    getSessionName: () => (now('pi.getSessionName()', 'name') as string | null) ?? undefined,
    getActiveTools: () => [...state('pi.getActiveTools()').activeTools],
    getAllTools: () => now('pi.getAllTools()', 'allTools'),
    setActiveTools: (names: readonly string[]) => now('pi.setActiveTools()', 'setTools', [...names]),
    getCommands: () => now('pi.getCommands()', 'commands'),
    setModel: async (model: { provider?: string; id?: string } | string) => {
      const wanted = typeof model === 'string' ? model : `${model?.provider}/${model?.id}`;
      return (await later('pi.setModel()', 'setModel', wanted)) === true;
    },
    getThinkingLevel: () => state('pi.getThinkingLevel()').thinking,
    setThinkingLevel: (level: string) => now('pi.setThinkingLevel()', 'setThinking', level),
    getServiceTiers: () => ({}),
    setServiceTier: () => refuse('setServiceTier()', 'The tier of the settings is used.'),
    exec: (command: string, args: readonly string[], options?: Parameters<typeof execCommand>[3]) =>
      execCommand(command, args, parts.cwd, options, parts.confined),
    pushPendingAction: (action: Record<string, unknown>) => {
      const id = parts.actions.keep(action);
      void later('pi.pushPendingAction()', 'pendingAction', id, {
        label: String(action['label'] ?? 'a change'),
        sourceToolName: String(action['sourceToolName'] ?? 'custom_tool'),
        rejects: typeof action['reject'] === 'function',
      });
    },
  };
}
