/**
 * The MCP servers that extensions register. Discovery finds them like configured ones, after those: the user's own file wins. In the sandbox
 * a server is started with the permissions of its extension and no others.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { McpServerConfig } from '@tenon/discovery/api';
import { messageOf, type SourceItem, type TenonError } from '@tenon/kernel';
import { foreignServer } from '@tenon/pack-host/api';
import { errors } from '../errors.ts';
import type { McpServerShape, SessionScope } from '../protocol.ts';
import type { Extension } from './extension.ts';
import { isGranted } from './granted-hosts.ts';
import { codeFolders } from './modules.ts';
import type { ExtensionServices } from './services.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The servers of one folder's extensions. */
export class RegisteredServers {
  readonly #world: ExtensionServices;
  readonly #cwd: string;
  readonly #complained = new Set<string>();
  #described = '[]';

  constructor(world: ExtensionServices, cwd: string) {
    this.#world = world;
    this.#cwd = cwd;
  }

  /** Those that may be used, for discovery. Of two with the same name the first counts. */
  async items(extensions: readonly Extension[]): Promise<SourceItem<McpServerConfig>[]> {
    const byName = new Map<string, SourceItem<McpServerConfig>>();
    for (const extension of extensions) {
      for (const server of extension.shape.mcpServers) {
        const taken = byName.get(server.name);
        const problem = taken
          ? { reason: `${taken.file ?? ''} has one of the same name`, instead: 'Rename it.' }
          : problemOf(extension, server);
        if (problem) this.#refuse(extension, server.name, problem);
        else {
          const item = await this.#item(extension, server);
          if (item) byName.set(server.name, item);
        }
      }
    }
    return [...byName.values()];
  }

  /** Tells whom it concerns when the servers are others than before. `places` are the sessions that have begun. */
  async note(
    extensions: readonly Extension[],
    places: readonly SessionScope[],
    tell: (event: string, about: Fields, place: SessionScope) => void,
  ): Promise<void> {
    const described = JSON.stringify(
      extensions
        .map(({ module, shape }) => [module.file, shape.mcpServers])
        .filter(([, servers]) => (servers?.length ?? 0) > 0),
    );
    if (described === this.#described) return;
    this.#described = described;
    (await this.#world.discovery())?.invalidate();
    if (places.length === 0) return; // The first prompt finds them.
    for (const place of places) tell('mcp_servers_change', { servers: publicServers(extensions) }, place);
    const hub = await this.#world.mcp();
    await hub?.refresh(this.#cwd);
    for (const { cwd, session } of places) await hub?.prepare(cwd, session);
  }

  async #item(
    extension: Extension,
    { name, config }: McpServerShape,
  ): Promise<SourceItem<McpServerConfig> | undefined> {
    const { file, level } = extension.module;
    const family = `extension ${extension.name}`;
    try {
      const value = foreignServer(name, plainConfig(config), ownerOf(extension)) as McpServerConfig;
      if (!extension.isTrusted)
        return { key: name, value, file, level, data: { family, pack: await this.#lend(extension) } };
      const { cwd, oauth } = config as { cwd?: string; oauth?: Fields };
      const own = { ...value, ...(cwd !== undefined && { cwd }), ...(oauth && { oauth }) };
      return { key: name, value: own, file, level: 'user', data: { family } };
    } catch (fault) {
      this.#refuse(extension, name, { reason: messageOf(fault), instead: 'Correct the extension.' });
      return undefined;
    }
  }

  /** Lets servers be started in the name of the extension; gives the name of its rights. */
  async #lend({ name, module, permissions }: Extension): Promise<string> {
    const { home, config, data, state, cache } = this.#world.folders;
    const hash = createHash('sha256').update(`${module.file}\n${this.#cwd}`).digest('hex').slice(0, 8);
    const id = `pi-server-${name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 30)}-${hash}`;
    const [folder = this.#cwd, ...more] = codeFolders(module.file, { cwd: this.#cwd, home });
    if (!statSync(folder).isDirectory()) throw new Error('the extension needs a folder of its own to start servers in');
    const read = [...(permissions.fs?.read ?? []), ...more];
    const granted = { ...permissions, fs: { ...permissions.fs, read } };
    (await this.#world.hosts()).lendRights(
      { manifest: { id, version: '0.0.0', kernel: '^1' }, folder, permissions: granted },
      { workspace: this.#cwd, home, own: [config, data, state, cache] },
    );
    return id;
  }

  #refuse({ name: extension }: Extension, server: string, why: { reason: string; instead: string }): void {
    const error: TenonError = errors.create('PI_COMPAT_MCP_REFUSED', { extension, server, ...why });
    if (this.#complained.has(error.message)) return;
    this.#complained.add(error.message);
    this.#world.report(error, 'warning');
  }
}

/** All servers of these extensions, for other extensions: without what may be secret. */
export function publicServers(extensions: readonly Extension[]): Fields[] {
  return extensions.flatMap(({ module, shape }) =>
    shape.mcpServers.map(({ name, config: { env: _env, headers: _headers, oauth: _oauth, ...config } }) => ({
      name,
      config,
      extensionPath: module.file,
    })),
  );
}

/** Whether a server may be kept on disk with what else an extension registered: those with keys may not. */
export function isPublic({ config }: McpServerShape): boolean {
  return config['env'] === undefined && config['headers'] === undefined && config['oauth'] === undefined;
}

function ownerOf({ name, permissions, module }: Extension) {
  return { plugin: name, permissions, file: module.file };
}

function problemOf(extension: Extension, { config }: McpServerShape): { reason: string; instead: string } | undefined {
  if (extension.isTrusted) return undefined;
  const { name, permissions } = extension;
  const { command, url } = config as { command?: string; url?: string };
  if (command !== undefined && !(permissions.exec ?? []).includes(command))
    return {
      reason: `it would start "${command}", which the extension may not run`,
      instead: `Allow that with \`tenon extension allow ${name} --exec ${command}\`.`,
    };
  if (url !== undefined && !isGranted(url, permissions.net ?? [])) {
    const { host } = new URL(url);
    return {
      reason: `it is at ${host}, which the extension may not reach`,
      instead: `Allow that with \`tenon extension allow ${name} --net ${host}\`.`,
    };
  }
  return undefined;
}

/** The fields as Tenon has them. How the model reaches the tools is Tenon's decision; what is hidden is left out. */
function plainConfig(config: Fields): Fields {
  const { type, url, timeout, enabled, exposure, toolExposure = {} } = config;
  const hidden = Object.entries(toolExposure as Fields).filter(([, how]) => how === 'hidden');
  const excludeTools = hidden.map(([tool]) => tool).filter((tool) => !tool.includes('*'));
  return {
    ...config,
    type: type ?? (url === undefined ? 'stdio' : 'http'),
    enabled: enabled !== false && exposure !== 'hidden',
    ...(typeof timeout === 'number' && { timeoutMs: timeout * 1000 }),
    ...(excludeTools.length > 0 && { excludeTools }),
  };
}
