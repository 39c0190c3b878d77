/** A kernel with the real tools, trust and approval plugins, on folders of its own. */
import { cliCommands } from '@tenon/command-line/api';
import { type Folders, SILENT, type UserInterface, userInterface } from '@tenon/host';
import type { Kernel } from '@tenon/kernel';
import { runCommand } from '@tenon/test-kit/command-run';
import { startKernel, tool, toolsOfTest } from '@tenon/test-kit/kernel';
import { builtIn } from '@tenon/test-kit/plugins';
import { type Profile, sandboxes } from '@tenon/sandbox/api';
import { secretMasks, type SecretMasks } from '@tenon/secrets/api';
import {
  resolvePath,
  type ToolOrigin,
  type Tool,
  toolRunner,
  type ToolResult,
  type ToolRisk,
  type Touches,
} from '@tenon/tools/api';
import type { Mode } from '../src/policy/decide.ts';

/** What the tests call and see. */
export interface Tenon {
  readonly kernel: Kernel;
  /** The calls that were carried out. */
  readonly ran: string[];
  call(
    tool: string,
    input: Record<string, unknown>,
    options?: { session?: string; signal?: AbortSignal },
  ): Promise<ToolResult>;
  run(
    words: string,
    args?: Record<string, string | string[]>,
    flags?: Record<string, string | boolean>,
  ): Promise<{ out: string; err: string; code: number }>;
  end(): Promise<void>;
}

type Input = Readonly<Record<string, unknown>>;

interface TestTool {
  readonly risk?: ToolRisk;
  readonly origin?: ToolOrigin;
  /** What it declares; paths are relative to the folder. */
  touches?(input: Input, at: (path: unknown) => string): Touches;
}

const NOTES: ToolOrigin = { kind: 'mcp-server', name: 'notes' };

const TOOLS: Readonly<Record<string, TestTool>> = {
  bash: {
    risk: 'exec',
    touches: ({ command, env, unsandboxed, reason }, at) => ({
      commands: [
        {
          text: String(command),
          cwd: at('.'),
          env: (env ?? {}) as Record<string, string>,
          ...(unsandboxed === true && { unsandboxed: String(reason ?? '') }),
        },
      ],
    }),
  },
  eval: {
    risk: 'exec',
    touches: ({ input }, at) => ({ commands: [{ text: String(input), language: 'cells', cwd: at('.') }] }),
  },
  read: {
    risk: 'read',
    touches: ({ path }, at) => (/^https?:/.test(String(path)) ? { hosts: [String(path)] } : { reads: [at(path)] }),
  },
  write: { risk: 'write', touches: ({ path }, at) => ({ writes: [at(path)] }) },
  edit: { risk: 'write', touches: ({ path, rename }, at) => ({ writes: [path, rename ?? path].map(at) }) },
  fetch: { risk: 'net', touches: ({ url }) => ({ hosts: [String(url)] }) },
  /** Those that declare nothing. */
  plain: {},
  silent_read: { risk: 'read' },
  silent_write: { risk: 'write' },
  mcp__notes__add: { risk: 'exec', origin: NOTES },
  mcp__notes__list: { risk: 'read', origin: NOTES },
};

/** Starts one. */
export async function startTenon(
  found: Folders,
  options: {
    mode?: Mode;
    ui?: Partial<UserInterface>;
    profile?: Profile;
    keepHours?: number;
    lastingAnswers?: boolean;
    masks?: Pick<SecretMasks, 'mask'>;
  } = {},
): Promise<Tenon> {
  const { mode = 'ask', ui = {}, profile = 'full', keepHours = 72, lastingAnswers = true, masks } = options;
  const ran: string[] = [];
  const at = (path: unknown) => resolvePath(found.cwd, String(path));
  const toolkit = Object.entries(TOOLS).map(([name, { touches }]): [string, Tool] => [
    name,
    {
      ...tool(async (input) => {
        ran.push(`${name} ${String(input['command'] ?? input['path'] ?? '')}`.trim());
        return { content: [{ type: 'text', text: 'done' }] };
      }),
      ...(touches && { touches: (input: Input) => touches(input, at) }),
    },
  ]);
  const manifests = Object.fromEntries(
    Object.entries(TOOLS).map(([name, { risk, origin }]) => [
      name,
      { ...(risk && { risk }), ...(origin && { origin }) },
    ]),
  );
  const kernel = await startKernel({
    folders: found,
    services: [
      [userInterface, { ...SILENT, ...ui }],
      [sandboxes, { profileFor: async () => profile, wrap: () => Promise.reject(new Error('not here')) }],
      ...(masks ? [[secretMasks, { maskFile: async () => undefined, ...masks }] as const] : []),
    ],
    defines: [cliCommands, ...(masks ? [secretMasks] : [])],
    plugins: [
      toolsOfTest(Object.fromEntries(toolkit), manifests),
      'tools',
      'trust',
      await builtIn('approval', { mode, keepHours, lastingAnswers }),
    ],
  });
  const runner = await kernel.find(toolRunner);
  return {
    kernel,
    ran,
    call: (tool, input, { session, signal } = {}) =>
      runner.run(tool, input, {
        ...(signal && { signal }),
        ...(session !== undefined && { scope: { session, cwd: found.cwd } }),
      }),
    run: (words, args = {}, flags = {}) => runCommand(kernel, words, { args, flags, cwd: found.cwd }),
    end: () => kernel.dispose(),
  };
}

/** The text of a result. */
export function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
