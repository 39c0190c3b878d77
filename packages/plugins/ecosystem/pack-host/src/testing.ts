/** What a pack's own tests use: `import { startPack } from '@tenon/pack-host/testing'`. It runs the pack on a real kernel. */
import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { createKernel, type Kernel, type Plugin, type Service } from '@tenon/kernel';
import { candidateFrom, type PluginPackage, provideServices } from '@tenon/kernel/testing';
import { type Tool, type ToolResult, tools } from '@tenon/tools/api';

/** A pack that runs on a kernel of its own. */
export interface StartedPack {
  readonly kernel: Kernel;
  /** Runs a tool of the pack; `updates` are the results that it showed meanwhile. */
  runTool(name: string, input: Record<string, unknown>): Promise<{ result: ToolResult; updates: ToolResult[] }>;
  /** Runs a command of the pack and gives what it wrote. */
  runCommand(
    words: string,
    given?: { args?: Record<string, string>; flags?: Record<string, string | boolean> },
  ): Promise<{ out: string; err: string; code: number }>;
  /** Stops the pack; throws when something of it is left. */
  stop(): Promise<void>;
}

/** Starts a pack from its package.json and its plugin value. */
export async function startPack(
  source: PluginPackage,
  plugin: Plugin,
  options: { services?: ReadonlyArray<readonly [Service<unknown>, unknown]> } = {},
): Promise<StartedPack> {
  const kernel = createKernel();
  const candidate = await candidateFrom(source, plugin);
  kernel.install(candidate, ...(options.services ? [provideServices(options.services)] : []));
  await kernel.activate(plugin.id);
  return {
    kernel,
    async runTool(name, input) {
      const tool: Tool = await kernel.read(tools).resolve(name);
      const updates: ToolResult[] = [];
      const update = async (partial: ToolResult) => void updates.push(partial);
      const result = await tool.execute(input, { id: 'test', signal: new AbortController().signal, update });
      return { result, updates };
    },
    async runCommand(words, { args = {}, flags = {} } = {}) {
      const command: CliCommand = await kernel.read(cliCommands).resolve(words);
      const written = { out: '', err: '' };
      const io = {
        out: async (text: string) => void (written.out += text),
        err: async (text: string) => void (written.err += text),
        json: async (value: unknown) => void (written.out += `${JSON.stringify(value)}\n`),
        color: false,
        interactive: false,
        width: 80,
      };
      const call = { args, flags, io, cwd: process.cwd(), signal: new AbortController().signal };
      const code = (await command.run(call)) ?? 0;
      return { ...written, code };
    },
    async stop() {
      await kernel.unload(plugin.id);
      const left = kernel.registrations(plugin.id);
      if (left.length > 0) throw new Error(`the pack left registrations behind: ${JSON.stringify(left)}`);
      await kernel.dispose();
    },
  };
}
