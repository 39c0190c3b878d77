/** A kernel with the real agent, sessions, tools and settings, and a model that plays what a test writes down. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import agentPlugin from '@tenon/agent';
import { type CliCommand, cliCommands, type CommandCall } from '@tenon/command-line/api';
import { hostPlugin, type ProvidedService } from '@tenon/host';
import { createKernel, type Kernel, type Plugin, type PluginCandidate } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, type PluginPackage } from '@tenon/kernel/testing';
import {
  type AssistantMessage,
  type Model,
  type ModelCall,
  modelRegistry,
  type ModelRequest,
  NO_USAGE,
  type ProviderFailure,
  type StreamEvent,
} from '@tenon/models/api';
import sessionsPlugin from '@tenon/sessions';
import settingsPlugin from '@tenon/settings';
import toolsPlugin from '@tenon/tools';
import { type Tool, tools } from '@tenon/tools/api';
import urlsPlugin from '@tenon/urls';
import agentPackage from '../../../agent/agent/package.json' with { type: 'json' };
import sessionsPackage from '../../../agent/sessions/package.json' with { type: 'json' };
import settingsPackage from '../../../foundation/settings/package.json' with { type: 'json' };
import toolsPackage from '../../../foundation/tools/package.json' with { type: 'json' };
import urlsPackage from '../../../agent/urls/package.json' with { type: 'json' };

export const MODEL: Model = {
  provider: 'test',
  id: 'm',
  name: 'M',
  api: 'test',
  contextWindow: 100_000,
  maxTokens: 1_000,
  input: ['text'],
  reasoning: true,
};
export const SEEING: Model = { ...MODEL, id: 'seeing', name: 'Seeing', input: ['text', 'image'] };

/** One scripted answer. `pieces` are streamed one by one. */
export interface Answer {
  readonly text?: string;
  readonly pieces?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
  readonly fail?: ProviderFailure;
  readonly hold?: Promise<void>;
  /** The first try fails with "overloaded"; the next is made after `hold`. */
  readonly retry?: boolean;
  /** This model takes over, because the one that was asked is "overloaded". */
  readonly fallback?: string;
  /** The answer reaches the token limit. */
  readonly isCutOff?: boolean;
}
export type Script = readonly (Answer | ((request: Omit<ModelRequest, 'apiKey'>) => Answer))[];

/** A model registry that plays answers and keeps the requests. */
export function scriptedModels(script: Script) {
  const requests: Omit<ModelRequest, 'apiKey'>[] = [];
  let calls = 0;
  async function* stream(request: Omit<ModelRequest, 'apiKey'>, call: ModelCall): AsyncGenerator<StreamEvent> {
    requests.push(request);
    const next = script[Math.min(requests.length - 1, script.length - 1)] ?? {};
    const answer = typeof next === 'function' ? next(request) : next;
    const pieces = answer.pieces ?? (answer.text === undefined ? [] : [answer.text]);
    const toolCalls = (answer.calls ?? []).map(({ name, arguments: args = {} }) => ({
      type: 'toolCall' as const,
      id: `call-${calls++}`,
      name,
      arguments: args,
    }));
    const stopReason = answer.calls ? 'toolUse' : answer.isCutOff ? 'length' : 'stop';
    const message = (text: string, isWhole: boolean): AssistantMessage => ({
      role: 'assistant',
      content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...(isWhole ? toolCalls : [])],
      api: 'test',
      provider: request.model.provider,
      model: request.model.id,
      usage: { ...NO_USAGE, input: 10, output: 5, totalTokens: 15, cost: { ...NO_USAGE.cost, total: 0.001 } },
      stopReason,
      timestamp: 1,
    });
    yield { type: 'start', partial: message('', false) };
    let text = '';
    for (const delta of pieces) {
      text += delta;
      yield { type: 'text_delta', contentIndex: 0, delta, partial: message(text, false) };
    }
    let failure = answer.fail;
    const stopped = new Promise<void>((resolve) => {
      if (call.signal.aborted) resolve();
      else call.signal.addEventListener('abort', () => resolve(), { once: true });
      const giveUp = () => {
        failure = { kind: 'overloaded', message: 'overloaded' };
        resolve();
      };
      const notice = { attempt: 1, maxAttempts: 3, delayMs: 5, reason: 'overloaded' };
      if (answer.fallback !== undefined) call.onRetry?.({ ...notice, fallback: answer.fallback }, () => undefined);
      if (answer.retry && call.mayWait?.() === false) giveUp();
      else if (answer.retry) call.onRetry?.(notice, giveUp);
    });
    if (answer.hold) await Promise.race([answer.hold, stopped]);
    const whole = message(text, true);
    if (call.signal.aborted)
      yield { type: 'error', reason: 'aborted', error: { ...whole, stopReason: 'aborted', errorMessage: 'stopped' } };
    else if (failure) {
      const error = { ...whole, stopReason: 'error' as const, errorMessage: failure.message };
      yield { type: 'error', reason: 'error', error, failure };
    } else yield { type: 'done', reason: stopReason, message: whole };
  }
  const all = [MODEL, SEEING];
  const registry = {
    stream,
    list: () => Promise.resolve(all.map((model) => ({ ...model, available: true }))),
    find: (pattern: string) => {
      const model = all.find(({ provider, id }) => pattern === `${provider}/${id}` || pattern === id);
      return Promise.resolve(model && { model });
    },
    forRole: () => Promise.resolve({ model: MODEL }),
  };
  return { registry, requests };
}

/** A tool for tests. */
export function tool(execute: Tool['execute'], parameters: Tool['parameters'] = { type: 'object' }): Tool {
  return { description: 'for a test', parameters, execute };
}

/** What a test world is made of. */
export interface WorldOptions {
  readonly script?: Script;
  readonly home?: string;
  readonly cwd?: string;
  readonly tools?: Readonly<Record<string, Tool>>;
  readonly plugins?: ReadonlyArray<readonly [PluginPackage, Plugin]>;
  readonly others?: readonly PluginCandidate[];
  /** Services of the test, also in place of the host's own. */
  readonly services?: readonly ProvidedService[];
}

/** A kernel and what the tests look at. */
export async function createWorld(options: WorldOptions = {}) {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'tenon-modes-'));
  const cwd = options.cwd ?? home;
  const { registry, requests } = scriptedModels(options.script ?? [{ text: 'Hello.' }]);
  const kernel: Kernel = createKernel();
  const own = {
    config: join(home, 'config'),
    data: join(home, 'data'),
    state: join(home, 'state'),
    cache: home,
    home,
    cwd,
  };
  const toolkit = options.tools ?? {};
  const built: [PluginPackage, Plugin][] = [
    [settingsPackage, settingsPlugin],
    [toolsPackage, toolsPlugin],
    [sessionsPackage, sessionsPlugin],
    [agentPackage, agentPlugin],
    [urlsPackage, urlsPlugin],
  ];
  kernel.install(
    hostPlugin({
      kernel,
      version: '1.0.0',
      folders: own,
      services: [[modelRegistry, registry], ...(options.services ?? [])],
    }),
    ...(await Promise.all(
      [...built, ...(options.plugins ?? [])].map(([source, plugin]) => candidateFrom(source, plugin)),
    )),
    inlineCandidate(
      {
        id: 'toolkit',
        activate: (ctx) => Object.entries(toolkit).forEach(([name, value]) => void ctx.contribute(tools, name, value)),
      },
      { contributes: { tools: Object.fromEntries(Object.keys(toolkit).map((name) => [name, { summary: name }])) } },
    ),
    ...(options.others ?? []),
  );
  const remove = async () => {
    await kernel.dispose();
    rmSync(home, { recursive: true, force: true });
  };
  return { kernel, home, cwd, requests, remove };
}

/** Runs a command as the shell would and gives what it wrote. */
export async function runCommand(
  kernel: Kernel,
  key: string,
  call: Partial<Pick<CommandCall, 'args' | 'flags' | 'cwd' | 'signal'>> & { io?: Partial<CommandCall['io']> } = {},
): Promise<{ code: number | void; out: string; err: string }> {
  let [out, err] = ['', ''];
  const command: CliCommand = await kernel.read(cliCommands).resolve(key);
  const io: CommandCall['io'] = {
    out: (text) => Promise.resolve(void (out += text)),
    err: (text) => Promise.resolve(void (err += text)),
    json: (value) => Promise.resolve(void (out += `${JSON.stringify(value)}\n`)),
    color: false,
    interactive: false,
    width: 80,
    ...call.io,
  };
  const { args = {}, flags = {}, cwd = process.cwd(), signal = new AbortController().signal } = call;
  const code = await command.run({ args, flags, io, cwd, signal });
  return { code, out, err };
}

/** Runs the command `agent` with this text on standard input; without a text a terminal is there. */
export async function runAgent(
  kernel: Kernel,
  words: readonly string[],
  options: {
    flags?: CommandCall['flags'];
    piped?: string;
    cwd?: string;
    signal?: AbortSignal;
    io?: Partial<CommandCall['io']>;
  } = {},
) {
  const { flags = { print: true }, piped, ...call } = options;
  const stdin = Object.assign(Readable.from(piped === undefined ? [] : [Buffer.from(piped)]), {
    isTTY: piped === undefined,
  });
  const real = Object.getOwnPropertyDescriptor(process, 'stdin');
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  try {
    return await runCommand(kernel, 'agent', { args: { prompt: [...words] }, flags, ...call });
  } finally {
    if (real) Object.defineProperty(process, 'stdin', real);
  }
}
