/** One module of OpenCode inside its process: loads it, and answers for its hooks and tools. */
import { basename, extname } from 'node:path';
import * as zod from 'zod';
import { type CallPlace, type HostStart, type ModuleShape, type ModuleStart, SERVED_HOOKS } from '../protocol.ts';
import { createBun } from './bun.ts';
import { createClient, type Tell } from './client.ts';
import { inputOf, type ToolInput } from './schema.ts';
import { createShell } from './shell.ts';

type Fields = Readonly<Record<string, unknown>>;
type Import = (file: string, modules: Fields) => Promise<Fields>;
type Handler = (input: unknown, output: unknown) => unknown;

interface Tool {
  readonly description: string;
  readonly input: ToolInput;
  execute(args: unknown, context: unknown): unknown;
}

/** Tools may have these names; providers take no others. */
const TOOL_NAME = /^[A-Za-z][\w-]{0,63}$/;

/** A loaded module. */
export class ForeignModule {
  readonly #start: ModuleStart;
  readonly #place: HostStart;
  readonly #tell: Tell;
  readonly #hooks: Fields[] = [];
  readonly #tools = new Map<string, Tool>();

  constructor(start: ModuleStart, place: HostStart, tell: Tell) {
    this.#start = start;
    this.#place = place;
    this.#tell = tell;
  }

  /** Imports it and lets it say what it brings. */
  async load(importModule: Import): Promise<ModuleShape> {
    const { cwd, worktree } = this.#place;
    const shell = createShell(cwd, (fault, program) => this.#explain(fault, program));
    const bun = createBun(cwd, shell);
    Object.assign(globalThis, { Bun: bun });
    const exported = await importModule(this.#start.file, modulesFor(bun));
    if (this.#start.kind === 'tool') this.#addTools(exported);
    else
      for (const make of factories(exported)) {
        const input = {
          client: createClient(this.#tell, this.#place),
          project: { id: worktree, worktree, vcs: 'git', time: { created: Date.now() } },
          directory: cwd,
          worktree,
          serverUrl: new URL('http://localhost:0'),
          $: shell,
        };
        const hooks = await make(input, this.#start.options ?? {});
        if (typeof hooks === 'object' && hooks !== null) this.#addHooks(hooks as Fields);
      }
    return this.#shape();
  }

  /** Calls the handlers of a hook, one after the other; gives `output` as they leave it. */
  async call(hook: string, input: unknown, output: unknown): Promise<unknown> {
    for (const hooks of this.#hooks) {
      const handler = hooks[hook];
      if (typeof handler === 'function') await (handler as Handler).call(hooks, input, output);
    }
    return output;
  }

  /** Runs a tool. */
  async runTool(name: string, args: unknown, { sessionID, callID }: CallPlace, abort: AbortSignal): Promise<string> {
    const tool = this.#tools.get(name);
    if (!tool) throw new Error(`there is no tool "${name}" any more`);
    const { cwd: directory, worktree } = this.#place;
    const context = {
      sessionID,
      messageID: callID,
      callID,
      agent: 'build',
      directory,
      worktree,
      abort,
      metadata: () => undefined,
      // The call as a whole was approved before it got here.
      ask: async () => undefined,
    };
    const result = await tool.execute(tool.input.parse(args), context);
    if (typeof result === 'string') return result;
    const output = typeof result === 'object' && result !== null ? (result as Fields)['output'] : undefined;
    return typeof output === 'string' ? output : (JSON.stringify(result) ?? '');
  }

  #addHooks(hooks: Fields): void {
    this.#hooks.push(hooks);
    const { tool } = hooks;
    if (typeof tool !== 'object' || tool === null) return;
    for (const [name, definition] of Object.entries(tool)) this.#addTool(name, definition);
  }

  /** The default export has the name of the file, others have theirs behind it. */
  #addTools(exported: Fields): void {
    const stem = basename(this.#start.file, extname(this.#start.file));
    for (const [name, definition] of Object.entries(exported)) {
      const isTool = typeof definition === 'object' && definition !== null && 'execute' in definition;
      if (isTool) this.#addTool(name === 'default' ? stem : `${stem}_${name}`, definition);
    }
    if (this.#tools.size === 0) throw new Error('it exports no tool');
  }

  #addTool(name: string, definition: unknown): void {
    const { description, args, execute } = definition as Fields;
    if (!TOOL_NAME.test(name)) throw new Error(`"${name}" is not a name for a tool`);
    if (typeof execute !== 'function') throw new Error(`the tool "${name}" has no function "execute"`);
    const run = execute as Tool['execute'];
    this.#tools.set(name, {
      description: String(description ?? ''),
      input: inputOf(args),
      execute: (input, context) => run.call(definition, input, context),
    });
  }

  #shape(): ModuleShape {
    const served: readonly string[] = SERVED_HOOKS;
    const names = [...new Set(this.#hooks.flatMap((hooks) => Object.keys(hooks)))].filter(
      (name) => name !== 'tool' && this.#hooks.some((hooks) => hooks[name] !== undefined),
    );
    return {
      hooks: names.filter((name) => served.includes(name)),
      // A clean-up has nothing to clean where the process ends.
      unsupported: names.filter((name) => !served.includes(name) && name !== 'dispose'),
      tools: [...this.#tools].map(([name, { description, input }]) => ({
        name,
        description,
        parameters: input.parameters,
      })),
    };
  }

  /** Inside a sandbox a program that was not granted does not exist, and without any, none can be started. */
  #explain(fault: NodeJS.ErrnoException, program: string): Error {
    if (this.#place.trusted || !['ENOENT', 'EPERM', 'EACCES', 'ENOSYS'].includes(fault.code ?? '')) return fault;
    const { name } = this.#start;
    const next = `Allow it with \`tenon opencode allow ${name} --exec ${program}\`.`;
    return new Error(`"${name}" may not run "${program}" (${fault.code}). ${next}`, { cause: fault });
  }
}

/** The functions that make hooks: each once, also when it is exported under two names. */
function factories(exported: Fields): readonly ((input: unknown, options: unknown) => unknown)[] {
  const { default: main } = exported;
  const server = typeof main === 'object' && main !== null ? (main as Fields)['server'] : undefined;
  const made =
    typeof server === 'function' ? [server] : Object.values(exported).filter((one) => typeof one === 'function');
  if (made.length === 0) throw new Error('it exports no plugin');
  return [...new Set(made)] as never;
}

/** The modules that are found under the names that OpenCode's own packages have. */
function modulesFor(bun: Fields): Fields {
  const tool = Object.assign((definition: unknown) => definition, { schema: zod.z });
  const plugin = { tool, default: { tool } };
  const z = { ...zod, z: zod.z, default: zod.z };
  const missing = () => {
    throw new Error('the SDK of OpenCode is not available in Tenon: there is no server to talk to');
  };
  const sdk = { createOpencodeClient: missing, createOpencode: missing, createOpencodeServer: missing };
  const shell = { $: bun['$'], file: bun['file'], write: bun['write'], which: bun['which'] };
  return {
    '@opencode-ai/plugin': plugin,
    '@opencode-ai/plugin/tool': plugin,
    '@opencode-ai/sdk': { ...sdk, default: sdk },
    '@opencode-ai/sdk/v2': { ...sdk, default: sdk },
    bun: { ...shell, default: bun },
    zod: z,
    'zod/v4': z,
  };
}
