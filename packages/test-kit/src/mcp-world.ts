/** A home, a project, and all of Tenon with a model that plays what a test writes down. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@tenon/agent/api';
import { cliCommands, type CommandCall } from '@tenon/command-line/api';
import type { Kernel } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { modes } from '@tenon/modes/api';
import type { UserInterface } from '@tenon/host';
import { toolRunner, type ToolResult } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { createTenon, type Tenon, type TenonOptions } from '@tenon/sdk';
import { mcpHub } from '@tenon/mcp/api';
import { recordedIo, runCommand } from './command-run.ts';
import { HERMETIC } from './program.ts';
import { type Script, scriptedModels } from './scripted-models.ts';
import { later, temporaryFolder } from './temporary.ts';
import { until } from './waiting.ts';

type Servers = Readonly<Record<string, unknown>>;

export interface WorldOptions {
  readonly user?: Servers;
  /** For `.tenon/mcp.json` of the project. */
  readonly project?: Servers;
  readonly trusted?: boolean;
  readonly settings?: TenonOptions['settings'];
  readonly script?: Script;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The real registry of models, with its credential store, instead of a scripted one. */
  readonly realModels?: boolean;
  /** Uses the folders of another world, for a second process. */
  readonly like?: Pick<World, 'home' | 'cwd'>;
}

export interface World {
  readonly tenon: Tenon;
  readonly kernel: Kernel;
  readonly home: string;
  readonly cwd: string;
  readonly requests: ReturnType<typeof scriptedModels>['requests'];
  hub(): Promise<import('@tenon/mcp/api').McpHub>;
  /** Gets the servers going, and waits until they have come to something. */
  settle(): Promise<void>;
  call(
    tool: string,
    input?: unknown,
    options?: { signal?: AbortSignal; onUpdate?(partial: ToolResult): void },
  ): Promise<ToolResult>;
  /** Runs a command; what it printed, and its exit code. */
  command(
    words: string,
    call?: {
      args?: CommandCall['args'];
      flags?: CommandCall['flags'];
      signal?: AbortSignal;
      onErr?(text: string): void;
    },
  ): Promise<Ran>;
  /** Runs one prompt in a new session. */
  prompt(text: string): Promise<{ readonly events: readonly AgentEvent[]; readonly session: string }>;
  /** Answers questions from now on. */
  answerWith(ui: Partial<UserInterface>): Promise<void>;
  dispose(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: unknown;
}

export function writeServers(file: string, servers: Servers): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
}

/** Makes a world; it is gone after the test. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const home = options.like?.home ?? temporaryFolder();
  const cwd = options.like?.cwd ?? temporaryFolder();
  if (options.user) writeServers(join(home, 'config', 'mcp.json'), options.user);
  if (options.project) writeServers(join(cwd, '.tenon', 'mcp.json'), options.project);
  const { registry, requests } = scriptedModels(options.script ?? [{ text: 'Hello.' }]);
  const tenon = await createTenon({
    home,
    cwd,
    packs: false,
    ...(!options.realModels && { modelRegistry: registry }),
    // Nothing of the machine that the tests run on must be found.
    environment: { ...HERMETIC, HOME: home, PATH: process.env['PATH'], ...options.environment },
    // Tools that write are asked about, and nobody is here to answer; approval has tests of its own.
    settings: { 'approval.mode': 'yolo', ...options.settings },
  });
  const { kernel } = tenon;
  let isOver = false;
  const dispose = async () => {
    if (isOver) return;
    isOver = true;
    await tenon.dispose();
  };
  later(dispose);
  if (options.trusted) await (await kernel.find(workspaceTrust)).grant(cwd);
  const hub = () => kernel.find(mcpHub);
  return {
    tenon,
    kernel,
    home,
    cwd,
    requests,
    hub,
    dispose,
    async settle() {
      await (await hub()).prepare(cwd);
      await until(async () =>
        (await (await hub()).servers(cwd)).every(({ state }) => state !== 'waiting' && state !== 'connecting'),
      );
    },
    async call(tool, input = {}, { signal, onUpdate } = {}) {
      const runner = await kernel.find(toolRunner);
      return runner.run(tool, input, { ...(signal && { signal }), ...(onUpdate && { onUpdate }) });
    },
    async command(words, { args = {}, flags = {}, signal = new AbortController().signal, onErr } = {}) {
      const result = { json: undefined as unknown };
      const { io, written } = recordedIo({
        err: async (text) => {
          written.err += text;
          onErr?.(text);
        },
        json: async (value) => void (result.json = value),
        width: 100,
      });
      const command = await kernel.read(cliCommands).resolve(words);
      const code = await command.run({ args, flags, io, cwd, signal });
      return { code: code ?? 0, ...written, ...result };
    },
    async prompt(text) {
      const { session } = await tenon.createAgentSession({ session: 'memory' });
      const events: AgentEvent[] = [];
      session.subscribe((event) => void events.push(event));
      await session.prompt(text);
      const id = session.session.id;
      await session.dispose();
      return { events, session: id };
    },
    async answerWith(ui) {
      await useInterface(kernel, ui);
    },
  };
}

/** Becomes the user interface by running a mode that stays. */
async function useInterface(kernel: Kernel, ui: Partial<UserInterface>): Promise<void> {
  const silent = {
    canAsk: () => true,
    select: async () => undefined,
    confirm: async () => false,
    input: async () => undefined,
    editor: async () => undefined,
    notify: () => undefined,
    setStatus: () => undefined,
    setWidget: () => undefined,
    setTitle: () => undefined,
    setEditorText: () => undefined,
  } satisfies UserInterface;
  let finish: () => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    kernel.install(
      inlineCandidate(
        {
          id: 'test-mode',
          activate(ctx) {
            ctx.contribute(modes, 'test', {
              run(launch) {
                launch.useInterface({ ...silent, ...ui });
                resolve();
                return new Promise<number>((done) => (finish = () => done(0)));
              },
            });
          },
        },
        { contributes: { modes: { test: { summary: 'for tests', takesInput: false } } } },
      ),
    );
    runCommand(kernel, 'agent', { flags: { mode: 'test', 'no-session': true } }).catch(reject);
  });
  await ready;
  later(() => finish());
}
