/** The real agent, tools, discovery and trust over a model that plays a script, in a home and a project made of real files. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentEvent, agentFactory, type AgentSession } from '@tenon/agent/api';
import { SILENT, type UserInterface, userInterface } from '@tenon/host';
import { type Session, sessionStore } from '@tenon/sessions/api';
import type { Tool, ToolResult } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { type Script } from '@tenon/test-kit/scripted-models';
import { commandTool, tool } from '@tenon/test-kit/kernel';
import type { PluginSource } from '@tenon/test-kit/plugins';

/** What a call of a tool gave to it. */
export interface Executed {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** How a world is made. */
export interface HookWorldOptions {
  readonly script?: Script;
  readonly trusted?: boolean;
  /** A folder of the project to work in, and to trust, instead of the whole project. */
  readonly inside?: string;
  readonly ui?: Partial<UserInterface>;
  /** What tools give; by default a few words. */
  readonly results?: Readonly<Record<string, ToolResult>>;
  readonly tools?: Readonly<Record<string, Tool>>;
  readonly plugins?: readonly PluginSource[];
  /** Writes files before the session begins. */
  files?(files: HookFiles): void;
}

const roots: string[] = [];

/** A home and a project, before anything reads them. */
export class HookFiles {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-hooks-test-')));
  readonly home = join(this.root, 'home');
  readonly project = join(this.root, 'project');

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.project);
    roots.push(this.root);
  }

  write(path: string, content: string | object): string {
    const file = path.startsWith('/') ? path : join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return file;
  }

  /** A script that keeps what it gets in `NAME.jsonl`, then does what `body` says. Gives its path. */
  script(name: string, body = ''): string {
    const log = join(this.root, `${name}.jsonl`);
    const keep = `input=$(cat)\nprintf '%s\\n' "$input" >> '${log}'`;
    const file = this.write(`scripts/${name}.sh`, `#!/bin/bash\n${keep}\n${body}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** Everything that a script was told. */
  told(name: string): Record<string, unknown>[] {
    const log = join(this.root, `${name}.jsonl`);
    if (!existsSync(log)) return [];
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Hooks in Claude Code's form: event -> command, or [matcher, command]. */
  claude(where: 'home' | 'project', hooks: Readonly<Record<string, string | readonly [string, string]>>): void {
    this.write(`${where}/.claude/settings.json`, { hooks: grouped(hooks) });
  }
}

/** Events with their groups. */
export function grouped(hooks: Readonly<Record<string, string | readonly [string, string]>>): object {
  return Object.fromEntries(
    Object.entries(hooks).map(([event, given]) => {
      const [matcher, command] = typeof given === 'string' ? [undefined, given] : given;
      return [event, [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command }] }]];
    }),
  );
}

/** What a test works with. */
export interface HookWorld {
  readonly files: HookFiles;
  readonly agent: AgentSession;
  readonly session: Session;
  readonly events: AgentEvent[];
  readonly executed: Executed[];
  readonly requests: Awaited<ReturnType<typeof createWorld>>['requests'];
  readonly kernel: Awaited<ReturnType<typeof createWorld>>['kernel'];
  notices(): string[];
  /** All messages of the last request. */
  lastRequest(): string;
  /** Ends the agent, and with it the session. */
  end(): Promise<void>;
}

const TOOLS = ['bash', 'read', 'write', 'edit', 'search', 'mcp__memory__save'];
const made: (() => Promise<void>)[] = [];

/** Ends everything that was made. */
export async function removeWorlds(): Promise<void> {
  for (const remove of made.splice(0)) await remove();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
}

/** The files that an edit names: `@@ file`. */
function editedIn(text: string, cwd: string): string[] {
  return [...text.matchAll(/^@@ (.+)$/gm)].map(([, path = '']) => join(cwd, path));
}

/** An agent on a new session of a project. */
export async function hookWorld(options: HookWorldOptions = {}): Promise<HookWorld> {
  const files = new HookFiles();
  const cwd = join(files.project, options.inside ?? '');
  mkdirSync(cwd, { recursive: true });
  options.files?.(files);
  const executed: Executed[] = [];
  const kit = TOOLS.map((name): [string, Tool] => [
    name,
    {
      ...(name === 'bash' ? commandTool : tool)((input) => {
        executed.push({ tool: name, input });
        return Promise.resolve(options.results?.[name] ?? { content: [{ type: 'text', text: `${name} was here` }] });
      }),
      ...(name === 'edit' && { touches: ({ input }) => ({ writes: editedIn(String(input), cwd) }) }),
    },
  ]);
  const ui: UserInterface = { ...SILENT, ...options.ui };
  const { kernel, requests, remove } = await createWorld({
    home: files.home,
    cwd,
    tools: { ...Object.fromEntries(kit), ...options.tools },
    script: options.script ?? [{ text: 'Done.' }],
    services: [[userInterface, ui]],
    plugins: ['discovery', 'trust', 'external-hooks', ...(options.plugins ?? [])],
  });
  if (options.trusted ?? true) await (await kernel.find(workspaceTrust)).grant(cwd);
  const session = await (await kernel.find(sessionStore)).create({ cwd });
  const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  made.push(async () => {
    await agent.dispose();
    await remove();
  });
  return {
    files,
    agent,
    session,
    events,
    executed,
    requests,
    kernel,
    notices: () => events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    lastRequest: () => JSON.stringify(requests.at(-1)?.messages ?? []),
    end: () => agent.dispose(),
  };
}

/** An answer that calls one tool, and then one that ends. */
export function calling(name: string, input: Record<string, unknown>): Script {
  return [{ calls: [{ name, arguments: input }] }, { text: 'Done.' }];
}
