/** An agent in a folder with modules of OpenCode: the real loop, tools, trust, discovery and processes over a model that plays a script. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentEvent, agentFactory, type AgentSession } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { SILENT, userInterface } from '@tenon/host';
import type { Kernel, TenonError } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import { sessionStore } from '@tenon/sessions/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { type Request, type Script, scriptedModels } from '@tenon/test-kit/scripted-models';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { workspaceTrust } from '@tenon/trust/api';

/** What a test works with. */
export interface World {
  readonly kernel: Kernel;
  readonly home: string;
  readonly cwd: string;
  readonly agent: AgentSession;
  readonly events: AgentEvent[];
  readonly requests: Request[];
  readonly notices: string[];
  codes(): string[];
  reports(): TenonError[];
  /** What tools gave, in order. */
  texts(): string[];
  run(
    words: string,
    args: Readonly<Record<string, string>>,
    flags?: Readonly<Record<string, unknown>>,
  ): ReturnType<typeof runCommand>;
}

/** What may be different in a test. */
export interface WorldOptions {
  readonly trusts?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Runs before the session begins. */
  readonly before?: (world: { readonly kernel: Kernel; readonly home: string; readonly cwd: string }) => Promise<void>;
}

/** Files by their path: `~/…` is in the home folder, others are in the folder that is worked in. */
export async function world(
  files: Readonly<Record<string, string>>,
  script: Script = [{ text: 'done' }],
  options: WorldOptions = {},
): Promise<World> {
  const base = temporaryFolder('opencode');
  const folders = separateFolders(base);
  const { home, cwd } = folders;
  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = name.startsWith('~/') ? join(home, name.slice(2)) : join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { registry, requests } = scriptedModels(script);
  const notices: string[] = [];
  const kernel = await startKernel({
    folders,
    services: [
      [modelRegistry, registry],
      [userInterface, { ...SILENT, notify: (message: string) => void notices.push(message) }],
    ],
    settings: { 'pack-host': { memoryMb: 256 }, ...options.settings },
    defines: [cliCommands],
    plugins: [
      'settings',
      'tools',
      'sessions',
      'agent',
      'urls',
      'sandbox',
      'trust',
      'discovery',
      'pack-host',
      'file-tools',
      'opencode-compat',
    ],
  });
  later(() => endKernel(kernel));
  if (options.trusts === true) await (await kernel.find(workspaceTrust)).grant(cwd);
  await options.before?.({ kernel, home, cwd });
  const session = await (await kernel.find(sessionStore)).create({ cwd });
  const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd });
  later(() => agent.dispose());
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const reports = () => kernel.diagnostics().map(({ error }) => error);
  return {
    kernel,
    home,
    cwd,
    agent,
    events,
    requests,
    notices,
    reports,
    codes: () => reports().map(({ code }) => code),
    texts: () =>
      events.flatMap((event) =>
        event.type === 'tool_execution_end'
          ? [event.result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')]
          : [],
      ),
    run: async (words, args, flags = {}) => runCommand(kernel, words, { args, flags: flags as never, cwd }),
  };
}
