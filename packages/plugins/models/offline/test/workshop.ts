/** The whole way, nothing replaced: kernel, settings, models, agent loop, sessions and the real tools over a git repository. */
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import agentPlugin from '@tenon/agent';
import { type AgentEvent, agentFactory, type AgentSession } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import fileTools from '@tenon/file-tools';
import { createKernel, type Kernel, type Plugin, settingsLayers } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, provideServices } from '@tenon/kernel/testing';
import modelsPlugin from '@tenon/models';
import searchTools from '@tenon/search-tools';
import sessionsPlugin from '@tenon/sessions';
import { sessionStore } from '@tenon/sessions/api';
import settingsPlugin from '@tenon/settings';
import shellTools from '@tenon/shell-tools';
import syntaxTools from '@tenon/syntax-tools';
import toolsPlugin from '@tenon/tools';
import urlsPlugin from '@tenon/urls';
import offlinePlugin from '../src/plugin.ts';

const PLUGINS: readonly (readonly [string, Plugin])[] = [
  ['settings', settingsPlugin],
  ['tools', toolsPlugin],
  ['urls', urlsPlugin],
  ['models', modelsPlugin],
  ['sessions', sessionsPlugin],
  ['agent', agentPlugin],
  ['file-tools', fileTools],
  ['search-tools', searchTools],
  ['syntax-tools', syntaxTools],
  ['shell-tools', shellTools],
  ['offline', offlinePlugin],
];

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
    readonly extra?: readonly (readonly [string, Plugin])[];
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly model?: string;
  } = {},
): Promise<Workshop> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-offline-')));
  const root = join(home, 'project');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  mkdirSync(root, { recursive: true });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'start');
  const kernel = createKernel();
  const settings = { models: { credentialStore: 'file' }, ...options.settings };
  const layer = { name: 'test', rank: 1, read: async () => ({ values: settings, origin: 'test' }) };
  kernel.install(
    provideServices([[folders, { config: home, data: home, state: home, cache: home, home, cwd: root }]]),
    inlineCandidate(
      { id: 'test-layer', activate: (ctx) => void ctx.contribute(settingsLayers, 'test', layer) },
      { contributes: { 'settings-layers': { test: {} } } },
    ),
    ...(await Promise.all(
      [...PLUGINS, ...(options.extra ?? [])].map(([name, plugin]) => candidateFrom(packageOf(name), plugin)),
    )),
  );
  const problems = kernel.diagnostics().map(({ error }) => error.message);
  if (problems.length > 0) throw new Error(problems.join('\n'));
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
      await kernel.dispose();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function packageOf(name: string) {
  const file = createRequire(import.meta.url).resolve(`@tenon/${name}/package.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as { version: string; tenon: Record<string, unknown> };
}
