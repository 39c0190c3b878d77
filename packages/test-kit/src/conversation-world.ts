/** An agent on a new session: the real loop, store and tool runner over models that play a script, with small limits. */
import { type AgentEvent, agentFactory, type AgentSession } from '@tenon/agent/api';
import type { Kernel } from '@tenon/kernel';
import { type Model, modelRegistry } from '@tenon/models/api';
import { type Session, sessionStore } from '@tenon/sessions/api';
import type { Tool, ToolData, ToolResult } from '@tenon/tools/api';
import { endKernel, foldersIn, startKernel, tool, toolsOfTest } from './kernel.ts';
import type { PluginSource } from './plugins.ts';
import { MODEL, type Request, type Script, scriptedModels } from './scripted-models.ts';
import { later, temporaryFolder } from './temporary.ts';

/** The model of these conversations. Its window is small, so that a few long texts fill it. */
export const model: Model = { ...MODEL, contextWindow: 10_000, reasoning: false };

/** Settings of the agent under which a few long texts are a long conversation. */
export const SMALL_LIMITS = {
  steeringMode: 'one-at-a-time',
  followUpMode: 'one-at-a-time',
  interruptMode: 'immediate',
  repeatLimit: 3,
  compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1_000, thresholdPercent: -1 },
};

/** The result of a tool that says something. */
export const said = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** What may be different in a test. */
export interface WorldOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly compaction?: Readonly<Record<string, unknown>>;
  /** More models than the one that is used. */
  readonly models?: readonly Model[];
  readonly inMemory?: boolean;
}

/** What a test works with. */
export interface World {
  readonly home: string;
  readonly kernel: Kernel;
  readonly agent: AgentSession;
  readonly session: Session;
  readonly events: AgentEvent[];
  readonly requests: Request[];
}

type Execute = Tool['execute'];

/** A tool with more than a function. */
interface TestTool extends Partial<Pick<Tool, 'touches'>>, Partial<Pick<ToolData, 'exclusive' | 'keepResult'>> {
  readonly run: Execute;
}

/** An agent on a new session. */
export async function world(
  script: Script,
  toolkit: Readonly<Record<string, Execute | TestTool>> = {},
  extra: readonly PluginSource[] = [],
  options: WorldOptions = {},
): Promise<World> {
  const home = temporaryFolder('agent');
  const tenTokens = script.map((answer) => (typeof answer === 'function' ? answer : { tokens: 10, ...answer }));
  const { registry, requests } = scriptedModels(tenTokens, { models: [model, ...(options.models ?? [])] });
  const rows = Object.entries(toolkit).map(([name, given]) => {
    const {
      run,
      touches,
      exclusive = false,
      keepResult = false,
    }: TestTool = typeof given === 'function' ? { run: given } : given;
    return [name, { ...tool(run), description: name, ...(touches && { touches }) }, { exclusive, keepResult }] as const;
  });
  const compaction = { ...SMALL_LIMITS.compaction, ...options.compaction };
  const kernel = await startKernel({
    folders: foldersIn(home),
    services: [[modelRegistry, registry]],
    settings: { agent: { ...SMALL_LIMITS, ...options.config, compaction } },
    plugins: [
      'settings',
      'tools',
      'sessions',
      'agent',
      toolsOfTest(
        Object.fromEntries(rows.map(([name, made]) => [name, made])),
        Object.fromEntries(rows.map(([name, , manifest]) => [name, manifest])),
      ),
      ...extra,
    ],
  });
  later(() => endKernel(kernel));
  const store = await kernel.find(sessionStore);
  const session = options.inMemory ? store.inMemory({ cwd: home }) : await store.create({ cwd: home });
  const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd: home });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return { home, kernel, agent, session, events, requests };
}

/** The types of events, in order. */
export const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

/** Who says what in the last request. */
export const lastRoles = (requests: World['requests']) => requests.at(-1)?.messages.map(({ role }) => role);
