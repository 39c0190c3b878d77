/** The real loop, store and tool runner over models that play a script; what the tests of this plugin share. */
import { builtIn } from '@tenon/test-kit/plugins';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folders } from '@tenon/host';
import { createKernel, type Kernel, type PluginCandidate, settingsEngine } from '@tenon/kernel';
import { inlineCandidate, provideServices } from '@tenon/kernel/testing';
import {
  type AssistantMessage,
  type Model,
  modelRegistry,
  type ModelRequest,
  NO_USAGE,
  type ProviderFailure,
  type StreamEvent,
} from '@tenon/models/api';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { type Tool, type ToolResult, tools } from '@tenon/tools/api';
import { afterEach, beforeEach } from 'vitest';
import { type AgentEvent, agentFactory, type AgentSession } from '../../src/api.ts';
import { sections } from './sections.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'tenon-agent-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

export const model: Model = {
  provider: 'test',
  id: 'm',
  name: 'M',
  api: 'test',
  contextWindow: 10_000,
  maxTokens: 1_000,
  input: ['text'],
  reasoning: false,
};
const usageOf = (totalTokens: number) => ({ ...NO_USAGE, input: totalTokens, totalTokens });

/** One scripted answer: text, tool calls, a failure, or what the request asks for. */
export type Answer = {
  text?: string;
  calls?: { name: string; arguments?: Record<string, unknown> }[];
  fail?: ProviderFailure;
  tokens?: number;
  hold?: Promise<void>;
};

/** A model registry that plays answers and keeps the requests; everything else in these tests is real. */
export function scripted(answers: (Answer | ((request: ModelRequest) => Answer))[], more: readonly Model[] = []) {
  const requests: Omit<ModelRequest, 'apiKey'>[] = [];
  let calls = 0;
  const stream = async function* (
    request: Omit<ModelRequest, 'apiKey'>,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<StreamEvent> {
    requests.push(request);
    const next = answers[Math.min(requests.length - 1, answers.length - 1)] ?? {};
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
    const stopReason = answer.fail ? ('error' as const) : answer.calls ? ('toolUse' as const) : ('stop' as const);
    const message: AssistantMessage = {
      role: 'assistant',
      content,
      api: 'test',
      provider: request.model.provider,
      model: request.model.id,
      usage: usageOf(answer.tokens ?? 10),
      stopReason,
      timestamp: 1,
    };
    yield { type: 'start', partial: message };
    if (answer.text) yield { type: 'text_delta', contentIndex: 0, delta: answer.text, partial: message };
    if (answer.hold)
      await Promise.race([
        answer.hold,
        new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve());
        }),
      ]);
    if (signal.aborted)
      yield { type: 'error', reason: 'aborted', error: { ...message, stopReason: 'aborted', errorMessage: 'stopped' } };
    else if (answer.fail)
      yield {
        type: 'error',
        reason: 'error',
        error: { ...message, errorMessage: answer.fail.message },
        failure: answer.fail,
      };
    else yield { type: 'done', reason: answer.calls ? 'toolUse' : 'stop', message };
  };
  const registry = {
    stream,
    list: async () => [model, ...more].map((one) => ({ ...one, available: true })),
    find: async (pattern: string) => {
      const found = [model, ...more].find(({ provider, id }) => `${provider}/${id}` === pattern);
      return found && { model: found };
    },
    forRole: async () => ({ model }),
  };
  return { registry, requests };
}

/** Small limits, so that a few long texts are a long conversation. */
const config = {
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
  readonly requests: Omit<ModelRequest, 'apiKey'>[];
}

/** An agent on a new session. */
export async function world(
  answers: Parameters<typeof scripted>[0],
  toolkit: Record<string, Tool['execute'] | { run: Tool['execute']; exclusive: boolean }> = {},
  extra: readonly PluginCandidate[] = [],
  options: WorldOptions = {},
): Promise<World> {
  const { registry, requests } = scripted(answers, options.models);
  const kernel = createKernel();
  const names = Object.fromEntries(
    Object.entries(toolkit).map(([name, tool]) => [
      name,
      { summary: name, exclusive: typeof tool !== 'function' && tool.exclusive },
    ]),
  );
  kernel.install(
    provideServices([
      [folders, { config: home, data: home, state: home, cache: home, home, cwd: home }],
      [modelRegistry, registry],
      [
        settingsEngine,
        sections({
          agent: { ...config, ...options.config, compaction: { ...config.compaction, ...options.compaction } },
        }),
      ],
    ]),
    await builtIn('tools'),
    await builtIn('sessions'),
    await builtIn('agent'),
    inlineCandidate(
      {
        id: 'toolkit',
        activate: (ctx) =>
          Object.entries(toolkit).forEach(
            ([name, tool]) =>
              void ctx.contribute(tools, name, {
                description: name,
                parameters: { type: 'object' },
                execute: typeof tool === 'function' ? tool : tool.run,
              }),
          ),
      },
      { contributes: { tools: names } },
    ),
    ...extra,
  );
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
