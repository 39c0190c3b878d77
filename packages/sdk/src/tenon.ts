/** Tenon inside a program: a kernel with the built-in plugins, and agents on top of it. */
import { resolve } from 'node:path';
import { type AgentFactory, agentFactory, type AgentSession } from '@tenon/agent/api';
import { extensionFlags, findFolders, type ProvidedService } from '@tenon/host';
import { type Kernel, type Logger, type PluginCandidate, type Settings, settingsEngine } from '@tenon/kernel';
import { type AuthStore, authStore, type ModelRegistry, modelRegistry, type ThinkingLevel } from '@tenon/models/api';
import { type Session, type SessionStore, sessionStore } from '@tenon/sessions/api';
import type { Tool } from '@tenon/tools/api';
import manifest from '../package.json' with { type: 'json' };
import { composeKernel } from './composition.ts';
import { checkOptions } from './known-options.ts';

/** What a program may decide about Tenon; everything that it leaves out is found as the command line finds it. */
export interface TenonOptions {
  /** The folder to work in; the process's own by default. */
  readonly cwd?: string;
  /** Keeps everything (settings, sessions, state) inside this folder instead of the user's own. */
  readonly home?: string;
  /** Settings for this program only, by their dotted keys: `{ 'agent.repeatLimit': 5 }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Instead of the models that are found. */
  readonly modelRegistry?: ModelRegistry;
  /** Instead of the session store on disk. */
  readonly sessionStore?: SessionStore;
  /** Plugins of the program. */
  readonly plugins?: readonly PluginCandidate[];
  /** False: only the built-in plugins and those of `plugins`; nothing that the user or the project installed. */
  readonly packs?: boolean;
  /** Extensions of pi and oh-my-pi to load, beside those that are found: files or folders, as `--extension` takes them. */
  readonly extensions?: readonly string[];
  /** False: no extensions but those of `extensions`. */
  readonly findExtensions?: boolean;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Logger;
}

/** The options of `createTenon`. */
export const TENON_OPTIONS = Object.keys({
  cwd: true,
  home: true,
  settings: true,
  modelRegistry: true,
  sessionStore: true,
  plugins: true,
  packs: true,
  extensions: true,
  findExtensions: true,
  environment: true,
  log: true,
} satisfies Record<keyof TenonOptions, true>);

/** Which session an agent works on. */
export type SessionChoice =
  | 'new'
  /** Nothing is kept on disk. */
  | 'memory'
  /** The last one of the folder, or a new one. */
  | 'continue'
  | { readonly open: string }
  | { readonly fork: string; readonly entryId?: string }
  | Session;

/** What a program may decide about one agent. */
export interface AgentSessionOptions {
  readonly session?: SessionChoice;
  /** `provider/id`, or a pattern. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Offers only these of the tools that are found. */
  readonly tools?: readonly string[];
  /** Tools of the program, beside the others. */
  readonly customTools?: Readonly<Record<string, Tool>>;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
}

/** The options of `createAgentSession` about the agent. */
export const SESSION_OPTIONS = Object.keys({
  session: true,
  model: true,
  thinking: true,
  tools: true,
  customTools: true,
  systemPrompt: true,
  appendSystemPrompt: true,
} satisfies Record<keyof AgentSessionOptions, true>);

/** A running Tenon. */
export interface Tenon {
  readonly kernel: Kernel;
  readonly cwd: string;
  /** Creates, opens, lists and forks sessions. */
  sessions(): Promise<SessionStore>;
  /** Finds and calls models. */
  models(): Promise<ModelRegistry>;
  /** Reads, watches and changes settings. */
  settings(): Promise<Settings>;
  /** Keeps the keys of providers; `setRuntimeKey` sets one for this process only. */
  auth(): Promise<AuthStore>;
  createAgentSession(options?: AgentSessionOptions): Promise<CreatedSession>;
  dispose(): Promise<void>;
}

/** An agent, and a message when its model is not the wanted one. */
export interface CreatedSession {
  readonly session: AgentSession;
  readonly modelFallbackMessage?: string;
}

/** Installs the built-in plugins and those of the program; their code is loaded when it is needed. */
export async function startTenon(options: TenonOptions): Promise<Tenon> {
  checkOptions('createTenon', options, TENON_OPTIONS);
  const { cwd = process.cwd(), environment = process.env } = options;
  const folders = findFolders(environment, cwd, options.home);
  const assignments = Object.entries(options.settings ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const kernel = composeKernel({
    version: manifest.version,
    folders,
    overrides: { assignments, environment },
    services: servicesOf(options),
    ...(options.log && { log: options.log }),
    ...(options.plugins && { plugins: options.plugins }),
  });
  if (options.packs !== false) await kernel.discover({ cwd, home: folders.home, trusted: false });
  await kernel.start();
  return {
    kernel,
    cwd,
    sessions: () => kernel.find(sessionStore),
    models: () => kernel.find(modelRegistry),
    settings: () => kernel.find(settingsEngine),
    auth: () => kernel.find(authStore),
    async createAgentSession(agentOptions = {}) {
      checkOptions('createAgentSession', agentOptions, SESSION_OPTIONS);
      const [agents, store] = [await kernel.find(agentFactory), await kernel.find(sessionStore)];
      return createSession(agents, store, cwd, agentOptions);
    },
    dispose: () => kernel.dispose(),
  };
}

function servicesOf(options: TenonOptions): ProvidedService[] {
  const { modelRegistry: models, sessionStore: store, extensions = [], findExtensions = true } = options;
  const flags = {
    extensions: extensions.map((path) => resolve(options.cwd ?? '.', path)),
    noExtensions: !findExtensions,
  };
  return [
    [extensionFlags, { current: () => flags }],
    ...(models ? [[modelRegistry, models] as const] : []),
    ...(store ? [[sessionStore, store] as const] : []),
  ];
}

async function createSession(
  agents: AgentFactory,
  store: SessionStore,
  cwd: string,
  options: AgentSessionOptions,
): Promise<CreatedSession> {
  const { session: choice = 'new', customTools, ...setup } = options;
  const { agent, ...rest } = await agents.create({ ...setup, session: await openSession(store, choice, cwd), cwd });
  if (customTools) agent.setHostTools(customTools);
  return { session: agent, ...rest };
}

async function openSession(store: SessionStore, choice: SessionChoice, cwd: string): Promise<Session> {
  if (choice === 'new') return store.create({ cwd });
  if (choice === 'memory') return store.inMemory({ cwd });
  if (choice === 'continue') return (await store.continueRecent(cwd)) ?? store.create({ cwd });
  if ('open' in choice) return store.open(choice.open);
  if (!('fork' in choice)) return choice;
  const original = await store.open(choice.fork, { readOnly: true });
  try {
    return await store.fork(original, { cwd, ...(choice.entryId !== undefined && { entryId: choice.entryId }) });
  } finally {
    await original.close();
  }
}
