/** The real loop, sessions, tools, trust and pack host over a model that plays a script; extensions come from files. */
import { builtIn } from '@tenon/test-kit/plugins';
import { later } from '@tenon/test-kit/temporary';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentEvent, agentFactory, type AgentSession, userBash, userPython } from '@tenon/agent/api';
import { type ExtensionFlags, folders, extensionFlags, SILENT, type UserInterface, userInterface } from '@tenon/host';
import { discovery, extensionModules, hookModules, toolModules } from '@tenon/discovery/api';
import { createKernel, type Kernel, type Manifest, settingsEngine, type TenonError } from '@tenon/kernel';
import { inlineCandidate, provideServices } from '@tenon/kernel/testing';
import {
  type AssistantMessage,
  authStore,
  endpoints,
  type Model,
  modelRegistry,
  type ModelRequest,
  models,
  modelSources,
  NO_USAGE,
  providers,
  type StreamEvent,
} from '@tenon/models/api';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { slashCommandProviders } from '@tenon/slash-commands/api';
import { type PendingAction, pendingActions } from '@tenon/syntax-tools/api';
import { type Tool, type ToolResult, tools } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';

/** One answer of the model. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
}

/** A module that a test writes. */
export interface Written {
  readonly kind?: 'extension' | 'hook' | 'tool';
  readonly level?: 'user' | 'project';
  /** True when it comes with the folder above the one that is worked in. */
  readonly above?: boolean;
  readonly code: string;
  readonly trust?: 'isolated' | 'unconfined' | 'in-process';
  readonly granted?: Readonly<Record<string, unknown>>;
}

/** What may be different in a test. */
export interface WorldOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly packHost?: Readonly<Record<string, unknown>>;
  readonly ui?: Partial<UserInterface>;
  readonly flags?: ExtensionFlags;
  readonly tools?: Readonly<Record<string, Tool['execute']>>;
  /** The tools of the session, as `--tools` names them. */
  readonly named?: readonly string[];
  /** What the credential store lists. */
  readonly credentials?: readonly { readonly provider: string; readonly source: string }[];
  /** Whether the folder that is worked in is trusted. */
  readonly trusts?: boolean;
  /** A folder for everything, which stays when the world ends; another start of the same program. */
  readonly base?: string;
}

/** What a test works with. */
export interface World {
  readonly kernel: Kernel;
  readonly home: string;
  readonly cwd: string;
  readonly agent: AgentSession;
  readonly session: Session;
  readonly events: AgentEvent[];
  readonly requests: Omit<ModelRequest, 'apiKey'>[];
  readonly notices: string[];
  readonly statuses: Map<string, string | undefined>;
  readonly actions: PendingAction[];
  readonly keys: Map<string, string>;
  readonly reports: () => TenonError[];
  file(name: string): string;
  command(words: string): Promise<unknown>;
  end(): Promise<void>;
}

const model: Model = {
  provider: 'test',
  id: 'm',
  name: 'M',
  api: 'test',
  contextWindow: 10_000,
  maxTokens: 1_000,
  input: ['text'],
  reasoning: false,
};

/** A model registry that plays answers; it keeps the requests. */
function scripted(answers: readonly (Answer | ((request: ModelRequest) => Answer))[]) {
  const requests: Omit<ModelRequest, 'apiKey'>[] = [];
  let calls = 0;
  const stream = async function* (request: Omit<ModelRequest, 'apiKey'>): AsyncGenerator<StreamEvent> {
    const next = answers[Math.min(requests.length, answers.length - 1)] ?? {};
    requests.push(request);
    const answer = typeof next === 'function' ? next(request as ModelRequest) : next;
    const content: AssistantMessage['content'] = [
      ...(answer.text === undefined ? [] : [{ type: 'text' as const, text: answer.text }]),
      ...(answer.calls ?? []).map(({ name, arguments: args = {} }) => ({
        type: 'toolCall' as const,
        id: `call-${calls++}`,
        name,
        arguments: args,
      })),
    ];
    const reason = answer.calls ? ('toolUse' as const) : ('stop' as const);
    const { provider, id } = request.model;
    const about = { api: 'test', provider, model: id, usage: { ...NO_USAGE, totalTokens: 10 }, timestamp: 1 };
    const message: AssistantMessage = { role: 'assistant', content, stopReason: reason, ...about };
    yield { type: 'start', partial: message };
    if (answer.text) yield { type: 'text_delta', contentIndex: 0, delta: answer.text, partial: message };
    yield { type: 'done', reason, message };
  };
  const other: Model = { ...model, id: 'other', name: 'Other' };
  const registry = {
    stream,
    list: async () => [model, other].map((one) => ({ ...one, available: true })),
    find: async (pattern: string) => {
      const found = [model, other].find(({ provider, id }) => `${provider}/${id}` === pattern);
      return found && { model: found };
    },
    forRole: async () => ({ model }),
  };
  return { registry, requests };
}

type Schema = { readonly default?: unknown; readonly properties?: Readonly<Record<string, Schema>> };
const defaultsOf = ({ properties = {} }: Schema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, schema.properties ? defaultsOf(schema) : schema.default]),
  );

/** An agent in a folder with these modules. */
export async function world(
  modules: Readonly<Record<string, Written | string>>,
  answers: readonly (Answer | ((request: ModelRequest) => Answer))[] = [{ text: 'done' }],
  options: WorldOptions = {},
): Promise<World> {
  const base = options.base ?? realpathSync(mkdtempSync(join(tmpdir(), 'tenon-pi-')));
  const [home, cwd] = [join(base, 'home'), join(base, 'work')];
  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
  const written = Object.entries(modules).map(([name, given]) => {
    const module = typeof given === 'string' ? { code: given } : given;
    const { kind = 'extension', level = 'user' } = module;
    const file = join(level === 'user' ? join(home, '.omp/agent') : join(cwd, '.omp'), `${kind}s`, `${name}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, module.code);
    return { name, file, kind, level, ...module };
  });
  const records = written.flatMap(({ name, file, trust, granted }) =>
    trust || granted ? [[file, { name, enabled: true, trust: trust ?? 'isolated', granted, since: '' }] as const] : [],
  );
  const place = {
    config: join(base, 'config'),
    data: join(base, 'data'),
    state: join(base, 'state'),
    cache: join(base, 'cache'),
    home,
    cwd,
  };
  mkdirSync(place.data, { recursive: true });
  if (records.length > 0)
    writeFileSync(
      join(place.data, 'extensions.json'),
      JSON.stringify({ version: 1, modules: Object.fromEntries(records) }),
    );
  const { registry, requests } = scripted(answers);
  const own: Readonly<Record<string, object>> = {
    'pi-compat': options.config ?? {},
    'pack-host': { memoryMb: 256, ...options.packHost },
  };
  const [notices, statuses, actions, keys] = [
    [] as string[],
    new Map<string, string | undefined>(),
    [] as PendingAction[],
    new Map<string, string>(),
  ];
  const ui: UserInterface = {
    ...SILENT,
    notify: (message) => void notices.push(message),
    setStatus: (key, text) => void statuses.set(key, text),
    ...options.ui,
  };
  const slotOf = { extension: extensionModules.id, hook: hookModules.id, tool: toolModules.id };
  const found = {
    load: async ({ id }: { id: string }) => ({
      items: written
        .filter(({ kind }) => slotOf[kind] === id)
        .map(({ name, file, level, above }) => ({
          key: name,
          value: { name, path: file },
          family: 'pi',
          level,
          file,
          priority: 90,
          ...(level === 'project' && { project: above === true ? base : cwd }),
        })),
      ignored: [],
      problems: [],
    }),
    invalidate: () => undefined,
  };
  const kernel = createKernel();
  const defines = [endpoints, models, modelSources, providers, userBash, userPython];
  kernel.install(
    provideServices([
      [folders, place],
      [modelRegistry, registry],
      [
        authStore,
        {
          keys: async () => ['the-real-key'],
          list: async () => options.credentials ?? [],
          setRuntimeKey: (name: string, key: string) => void keys.set(name, key),
        },
      ],
      [userInterface, ui],
      [extensionFlags, { current: () => options.flags }],
      [discovery, found],
      [pendingActions, { push: async (_session: string, action: PendingAction) => void actions.push(action) }],
      [
        settingsEngine,
        { section: async ({ id, settings }: Manifest) => ({ ...defaultsOf((settings ?? {}) as Schema), ...own[id] }) },
      ],
    ]),
    inlineCandidate(
      { id: 'tokens', defines, activate: () => undefined },
      {
        defines: {
          slots: ['endpoints', 'models', 'model-sources', 'providers'],
          hooks: ['user.bash', 'user.python'],
        },
      },
    ),
    await builtIn('tools'),
    await builtIn('sessions'),
    await builtIn('agent'),
    await builtIn('trust'),
    await builtIn('pack-host'),
    await builtIn('slash-commands'),
    await builtIn('pi-compat'),
    inlineCandidate(
      {
        id: 'toolkit',
        activate: (ctx) => {
          for (const [name, execute] of Object.entries(options.tools ?? {}))
            ctx.contribute(tools, name, { description: name, parameters: { type: 'object' }, execute });
        },
      },
      {
        contributes: {
          tools: Object.fromEntries(Object.keys(options.tools ?? {}).map((name) => [name, { summary: name }])),
        },
      },
    ),
  );
  if (options.trusts === true) await (await kernel.find(workspaceTrust)).grant(cwd);
  const session = await (await kernel.find(sessionStore)).create({ cwd });
  const close = async () => {
    await kernel.dispose();
    if (options.base === undefined) rmSync(base, { recursive: true, force: true });
  };
  const named = options.named && { tools: options.named };
  const made = (await kernel.find(agentFactory)).create({ session, cwd, ...named });
  const { agent } = await made.catch(async (fault: unknown) => {
    await close();
    throw fault;
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  let ended: Promise<void> | undefined;
  const end = () =>
    (ended ??= (async () => {
      await agent.dispose();
      await close();
    })());
  // A test that forgets it would leave files and processes open.
  later(end);
  return {
    kernel,
    home,
    cwd,
    agent,
    session,
    events,
    requests,
    notices,
    statuses,
    actions,
    keys,
    reports: () => kernel.diagnostics().map(({ error }) => error),
    file: (name) => written.find((one) => one.name === name)?.file ?? '',
    async command(words) {
      const [name = '', ...rest] = words.split(' ');
      const provider = await kernel.read(slashCommandProviders).resolve('pi-extensions');
      return provider.run(name, rest.join(' '), {
        session: agent.session.id,
        cwd,
        signal: new AbortController().signal,
      });
    },
    end,
  };
}

/** The text of a tool's result in the conversation. */
export function toolTexts({ events }: Pick<World, 'events'>): string[] {
  return events.flatMap((event) => (event.type === 'tool_execution_end' ? [textIn(event.result)] : []));
}

function textIn({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.mimeType}]`)).join('\n');
}

/** Waits until something holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${what} did not happen`);
}
