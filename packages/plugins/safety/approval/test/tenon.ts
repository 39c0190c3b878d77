/** A kernel with the real tools, trust and approval plugins, on folders of its own. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { cliCommands, type CommandIo } from '@tenon/command-line/api';
import { type Folders, folders, SILENT, type UserInterface, userInterface } from '@tenon/host';
import { createKernel, type Kernel, type Plugin, type Service } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, type PluginPackage, provideServices } from '@tenon/kernel/testing';
import { type Profile, sandboxes } from '@tenon/sandbox/api';
import toolsPlugin from '@tenon/tools';
import {
  resolvePath,
  type ToolOrigin,
  toolRunner,
  tools,
  type ToolResult,
  type ToolRisk,
  type Touches,
} from '@tenon/tools/api';
import trustPlugin from '@tenon/trust';
import approvalPlugin from '../src/plugin.ts';
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
  options: { mode?: Mode; ui?: Partial<UserInterface>; profile?: Profile; keepHours?: number } = {},
): Promise<Tenon> {
  const { mode = 'ask', ui = {}, profile = 'full', keepHours = 72 } = options;
  const kernel = createKernel();
  const ran: string[] = [];
  const services: (readonly [Service<unknown>, unknown])[] = [
    [folders, found],
    [userInterface, { ...SILENT, ...ui }],
    [sandboxes, { profileFor: async () => profile, wrap: () => Promise.reject(new Error('not here')) }],
  ];
  kernel.install(
    provideServices(services),
    inlineCandidate(
      { id: 'tokens', defines: [cliCommands], activate: () => undefined },
      { defines: { slots: ['cli-commands'] } },
    ),
    inlineCandidate(
      {
        id: 'test-tools',
        activate(ctx) {
          const at = (path: unknown) => resolvePath(found.cwd, String(path));
          for (const [name, { touches }] of Object.entries(TOOLS)) {
            ctx.contribute(tools, name, {
              description: name,
              parameters: { type: 'object' },
              ...(touches && { touches: (input: Input) => touches(input, at) }),
              execute: async (input) => {
                ran.push(`${name} ${String(input['command'] ?? input['path'] ?? '')}`.trim());
                return { content: [{ type: 'text', text: 'done' }] };
              },
            });
          }
        },
      },
      {
        contributes: {
          tools: Object.fromEntries(
            Object.entries(TOOLS).map(([name, { risk, origin }]) => [
              name,
              { summary: name, ...(risk && { risk }), ...(origin && { origin }) },
            ]),
          ),
        },
      },
    ),
    await builtIn('tools', toolsPlugin),
    await builtIn('trust', trustPlugin),
    await builtIn('approval', approvalPlugin, { mode, keepHours }),
  );
  const runner = await kernel.find(toolRunner);
  return {
    kernel,
    ran,
    call: (tool, input, { session, signal } = {}) =>
      runner.run(tool, input, {
        ...(signal && { signal }),
        ...(session !== undefined && { scope: { session, cwd: found.cwd } }),
      }),
    async run(words, args = {}, flags = {}) {
      const written = { out: '', err: '' };
      const io: CommandIo = {
        out: async (text) => void (written.out += text),
        err: async (text) => void (written.err += text),
        json: async (value) => void (written.out += `${JSON.stringify(value)}\n`),
        color: false,
        interactive: false,
        width: 80,
      };
      const command = await kernel.read(cliCommands).resolve(words);
      const code = (await command.run({ args, flags, io, cwd: found.cwd, signal: new AbortController().signal })) ?? 0;
      return { ...written, code };
    },
    end: () => kernel.dispose(),
  };
}

/** A built-in plugin with the manifest of its package; `defaults` take the place of what its settings say by default. */
async function builtIn(name: string, plugin: Plugin, defaults: Record<string, unknown> = {}) {
  const file = createRequire(import.meta.url).resolve(`@tenon/${name}/package.json`);
  const source = JSON.parse(readFileSync(file, 'utf8')) as PluginPackage & {
    tenon: { settings?: { properties: Record<string, { default: unknown }> } };
  };
  for (const [key, value] of Object.entries(defaults)) {
    const property = source.tenon.settings?.properties[key];
    if (property) property.default = value;
  }
  return candidateFrom(source, plugin, file);
}

/** The text of a result. */
export function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
