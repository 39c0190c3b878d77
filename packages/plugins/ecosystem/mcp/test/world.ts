/** A home, a project, and all of Tenon with a model that plays what a test writes down. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '@tenon/agent/api';
import { cliCommands, type CommandCall } from '@tenon/command-line/api';
import type { Kernel } from '@tenon/kernel';
import { modes } from '@tenon/modes/api';
import type { UserInterface } from '@tenon/host';
import { toolRunner, type ToolResult } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach } from 'vitest';
import { createTenon, type Tenon, type TenonOptions } from '../../../../sdk/src/index.ts';
import { type Script, scriptedModels } from '@tenon/test-kit/scripted-models';
import { mcpHub } from '../src/api.ts';

export const PLAIN = join(import.meta.dirname, 'servers', 'plain.mjs');
const { resolve } = createRequire(import.meta.url);
export const EVERYTHING = resolve('@modelcontextprotocol/server-everything/dist/index.js');
export const FILESYSTEM = resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs when the test is over. */
export function later(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-mcp-test-')));
  later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

type Servers = Readonly<Record<string, unknown>>;

/** A plain server with these flags. */
export function plain(...flags: string[]) {
  return { command: process.execPath, args: [PLAIN, ...flags] };
}

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
  hub(): Promise<import('../src/api.ts').McpHub>;
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
    environment: { HOME: home, PATH: process.env['PATH'], ...options.environment },
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
      const said = { out: '', err: '', json: undefined as unknown };
      const io: CommandCall['io'] = {
        out: async (text) => void (said.out += text),
        err: async (text) => {
          said.err += text;
          onErr?.(text);
        },
        json: async (value) => void (said.json = value),
        color: false,
        interactive: false,
        width: 100,
      };
      const command = await kernel.read(cliCommands).resolve(words);
      const code = await command.run({ args, flags, io, cwd, signal });
      return { code: code ?? 0, ...said };
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
  const { inlineCandidate } = await import('@tenon/kernel/testing');
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
    const run = async () => {
      const command = await kernel.read(cliCommands).resolve('agent');
      const io = {
        out: async () => {},
        err: async () => {},
        json: async () => {},
        color: false,
        interactive: false,
        width: 80,
      };
      const signal = new AbortController().signal;
      await command.run({ args: {}, flags: { mode: 'test', 'no-session': true }, io, cwd: process.cwd(), signal });
    };
    run().catch(reject);
  });
  await ready;
  later(() => finish());
}

/** Waits for something to become true. */
export async function until(isTrue: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('it did not become true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // What has ended and was not waited for by anybody is still listed.
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '';
  return !/\) [ZX] /.test(stat);
}

/** The text of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** Which processes were started, by the mark that each of them leaves. */
export function marks(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
}
