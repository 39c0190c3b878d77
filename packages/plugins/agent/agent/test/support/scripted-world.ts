/** The real loop, the real session store and the real tool runner over a model that plays a script. */
import { folders } from '@tenon/host';
import { createKernel, type Kernel, settingsEngine } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, provideServices } from '@tenon/kernel/testing';
import {
  type AssistantMessage,
  type Model,
  modelRegistry,
  type ModelRequest,
  NO_USAGE,
  type StreamEvent,
} from '@tenon/models/api';
import sessionsPlugin from '@tenon/sessions';
import sessionsPackage from '@tenon/sessions/package.json' with { type: 'json' };
import toolsPlugin from '@tenon/tools';
import { type Tool, tools } from '@tenon/tools/api';
import toolsPackage from '@tenon/tools/package.json' with { type: 'json' };
import agentPackage from '../../package.json' with { type: 'json' };
import agentPlugin from '../../src/plugin.ts';
import { sections } from './sections.ts';

/** What the model says next. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly arguments: Record<string, unknown> };
}

/** How such a world is made. */
export interface ScriptedWorld {
  readonly home: string;
  readonly contextWindow: number;
  answer(request: Omit<ModelRequest, 'apiKey'>, turn: number): ScriptedAnswer;
  readonly toolkit: Readonly<Record<string, Tool['execute']>>;
}

/** A kernel with everything that the agent needs, and nothing started yet. */
export async function scriptedWorld(options: ScriptedWorld): Promise<Kernel> {
  const { home, toolkit } = options;
  const kernel = createKernel();
  kernel.install(
    provideServices([
      [folders, { config: home, data: home, state: home, cache: home, home, cwd: home }],
      [modelRegistry, scriptedRegistry(options)],
      [settingsEngine, sections({ agent: agentConfig })],
    ]),
    await candidateFrom(toolsPackage, toolsPlugin),
    await candidateFrom(sessionsPackage, sessionsPlugin),
    await candidateFrom(agentPackage, agentPlugin),
    inlineCandidate(
      {
        id: 'toolkit',
        activate: (ctx) =>
          Object.entries(toolkit).forEach(
            ([name, execute]) =>
              void ctx.contribute(tools, name, { description: name, parameters: { type: 'object' }, execute }),
          ),
      },
      { contributes: { tools: Object.fromEntries(Object.keys(toolkit).map((name) => [name, { summary: name }])) } },
    ),
  );
  return kernel;
}

const agentConfig = {
  steeringMode: 'one-at-a-time',
  followUpMode: 'one-at-a-time',
  interruptMode: 'immediate',
  repeatLimit: 3,
  compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1_000, thresholdPercent: -1 },
};

function scriptedRegistry({ answer, contextWindow }: ScriptedWorld) {
  const model: Model = {
    provider: 'test',
    id: 'm',
    name: 'M',
    api: 'test',
    contextWindow,
    maxTokens: 1_000,
    input: ['text'],
    reasoning: false,
  };
  let turn = 0;
  async function* stream(request: Omit<ModelRequest, 'apiKey'>): AsyncGenerator<StreamEvent> {
    const { text, call } = answer(request, turn++);
    const content: AssistantMessage['content'] = [
      ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
      ...(call === undefined ? [] : [{ type: 'toolCall' as const, id: `call-${turn}`, ...call }]),
    ];
    // As a provider counts: what the request holds decides when the conversation has to be summarized.
    const totalTokens = Math.ceil(JSON.stringify(request.messages).length / 4);
    const message: AssistantMessage = {
      role: 'assistant',
      content,
      api: 'test',
      provider: 'test',
      model: 'm',
      usage: { ...NO_USAGE, input: totalTokens, totalTokens },
      stopReason: call ? 'toolUse' : 'stop',
      timestamp: Date.now(),
    };
    yield { type: 'start', partial: { ...message, content: [] } };
    if (text) yield { type: 'text_delta', contentIndex: 0, delta: text, partial: message };
    yield { type: 'done', reason: call ? 'toolUse' : 'stop', message };
  }
  return {
    stream,
    list: async () => [{ ...model, available: true }],
    find: async (pattern: string) => (pattern === 'test/m' ? { model } : undefined),
    forRole: async () => ({ model }),
  };
}
