/** The whole way, nothing replaced: kernel, settings, models, agent loop, sessions and the real tools over a git repository. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEvent, agentFactory, type AgentSession } from '@tenon/agent/api';
import type { Kernel } from '@tenon/kernel';
import { sessionStore } from '@tenon/sessions/api';
import { gitRepository } from './git-repository.ts';
import { endKernel, foldersIn, startKernel } from './kernel.ts';
import { later, temporaryFolder } from './temporary.ts';

const PLUGINS =
  `settings tools urls models sessions agent file-tools search-tools syntax-tools shell-tools offline`.split(' ');

/** A project and an agent in it. */
export interface Workshop {
  readonly kernel: Kernel;
  readonly agent: AgentSession;
  readonly events: readonly AgentEvent[];
  /** The folder of the project. */
  readonly root: string;
  read(name: string): string;
  exists(name: string): boolean;
  /** Sends a prompt and gives the last answer's text. */
  ask(text: string): Promise<string>;
  /** The tools called since the last prompt, in order. */
  calls(): string[];
  git(...args: string[]): string;
  close(): Promise<void>;
}

/** Opens a workshop over a repository with these files, committed. */
export async function openWorkshop(
  files: Readonly<Record<string, string>>,
  options: {
    readonly tools?: readonly string[];
    /** More built-in plugins. */
    readonly extra?: readonly string[];
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly model?: string;
  } = {},
): Promise<Workshop> {
  const home = temporaryFolder('offline');
  const root = join(home, 'project');
  const git = gitRepository(root, files);
  const kernel = await startKernel({
    folders: foldersIn(home, root),
    settings: { models: { credentialStore: 'file' }, ...options.settings },
    plugins: [...PLUGINS, ...(options.extra ?? [])],
  });
  later(() => endKernel(kernel));
  const session = await (await kernel.find(sessionStore)).create({ cwd: root });
  const { tools, model } = options;
  const { agent } = await (
    await kernel.find(agentFactory)
  ).create({
    session,
    cwd: root,
    ...(tools && { tools }),
    ...(model !== undefined && { model }),
  });
  let events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return {
    kernel,
    agent,
    root,
    get events() {
      return events;
    },
    read: (name) => readFileSync(join(root, name), 'utf8'),
    exists: (name) => existsSync(join(root, name)),
    async ask(text) {
      events = [];
      await agent.prompt(text);
      const last = session.context().messages.at(-1);
      if (last?.role !== 'assistant') throw new Error('the agent gave no answer');
      if (last.stopReason !== 'stop') throw new Error(`the agent ended with ${last.stopReason}: ${last.errorMessage}`);
      return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
    calls: () => events.flatMap((event) => (event.type === 'tool_execution_start' ? [event.toolName] : [])),
    git,
    async close() {
      await agent.dispose();
      await endKernel(kernel);
    },
  };
}
