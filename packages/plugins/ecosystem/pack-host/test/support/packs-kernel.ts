/** A kernel with real packs in real hosts under a real sandbox. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliCommands } from '@tenon/command-line/api';
import {
  createKernel,
  type Kernel,
  type Manifest,
  parseManifest,
  type Permissions,
  type PluginCandidate,
  type Token,
} from '@tenon/kernel';
import { createLogger, type LogRecord } from '@tenon/log';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type Tool, toolCall, type ToolResult, toolResult, tools } from '@tenon/tools/api';
import { wantedPermissions } from '../../src/boundary/reach.ts';
import type { PackHostSettings } from '../../src/generated/settings.ts';
import { createPackHosts } from '../../src/pack-hosts.ts';
import type { RestartPolicy } from '../../src/restart-policy.ts';

export const examples = fileURLToPath(new URL('../../../../../../examples/packs/', import.meta.url));

/** Folders and files of one test, and what was logged and reported. */
export interface PacksKernel {
  readonly kernel: Kernel;
  readonly hosts: ReturnType<typeof createPackHosts>;
  readonly workspace: string;
  readonly home: string;
  readonly log: LogRecord[];
  /** Makes a pack of these files; the manifest's fixed parts are filled in. */
  writePack(manifest: Partial<Manifest> & { id: string }, files: Record<string, string>): string;
  /** Installs the pack in a folder, isolated, with the permissions that its manifest asks for. */
  install(folder: string, permissions?: Permissions): Promise<PluginCandidate>;
  runTool(
    name: string,
    input?: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<{ result: ToolResult; updates: ToolResult[] }>;
  /** The text of a tool's failure. */
  failureOf(name: string, input?: Record<string, unknown>): Promise<string>;
  end(): Promise<void>;
}

/** Makes one. `entry` is the built program of host processes. */
export async function packsKernel(
  entry: string,
  options: { config?: Partial<PackHostSettings>; tokens?: readonly Token[]; restarts?: () => RestartPolicy } = {},
): Promise<PacksKernel> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-packs-')));
  const [workspace, home] = [join(base, 'workspace'), join(base, 'home')];
  for (const folder of [workspace, home, join(home, '.ssh')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.ssh', 'id_ed25519'), 'the private key');
  const log: LogRecord[] = [];
  const logger = createLogger({ owner: 'test', level: 'debug', sink: (record) => void log.push(record) });
  const kernel = createKernel({ log: logger });
  const tokens: readonly Token[] = [tools, cliCommands, toolCall, toolResult, ...(options.tokens ?? [])];
  const named = (kind: Token['kind']) => tokens.filter((token) => token.kind === kind).map(({ id }) => id);
  const defines = { slots: named('slot'), services: named('service'), hooks: named('hook') };
  kernel.install(inlineCandidate({ id: 'tokens', defines: tokens, activate: () => undefined }, { defines }));
  const config: PackHostSettings = {
    memoryMb: 128,
    startSeconds: 20,
    callSeconds: 60,
    hangSeconds: 10,
    sandbox: 'auto',
    ...options.config,
  };
  const hosts = createPackHosts({
    config,
    log: logger,
    triggers: () => ['.tenon', '.mcp.json', '.claude', '.github/mcp.json'],
    entry,
    ...(options.restarts && { restarts: options.restarts }),
  });
  const place = { workspace, home, own: [] };
  const execute = async (tool: Tool, input: Record<string, unknown>, signal = new AbortController().signal) => {
    const updates: ToolResult[] = [];
    const result = await tool.execute(input, {
      id: 'call',
      signal,
      update: async (partial) => void updates.push(partial),
    });
    return { result, updates };
  };
  const packs: PacksKernel = {
    kernel,
    hosts,
    workspace,
    home,
    log,
    writePack(manifest, files) {
      const folder = join(base, 'packs', manifest.id);
      const content = { name: manifest.id, version: '1.0.0', type: 'module', tenon: { kernel: '^1', ...manifest } };
      for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(content), ...files })) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      return folder;
    },
    async install(folder, permissions) {
      const file = join(folder, 'package.json');
      const { tenon, version } = JSON.parse(readFileSync(file, 'utf8'));
      const manifest = await parseManifest(tenon, file, version);
      const granted = permissions ?? wantedPermissions(manifest);
      const candidate = {
        manifest,
        file,
        checked: true,
        foreign: true,
        load: () => hosts.isolate({ manifest, folder, permissions: granted }, place),
      };
      kernel.install(candidate);
      return candidate;
    },
    async runTool(name, input = {}, signal) {
      return execute(await kernel.read(tools).resolve(name), input, signal);
    },
    async failureOf(name, input) {
      return packs.runTool(name, input).then(
        ({ result }) => `no failure: ${JSON.stringify(result)}`,
        (fault: unknown) => String(fault),
      );
    },
    async end() {
      await kernel.dispose();
      await hosts.stopAll();
      rmSync(base, { recursive: true, force: true });
    },
  };
  return packs;
}
