/** What a plugin brings and what it could do, found by the same readers that will use it later, so that nothing is left out. */
import { open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isBelow } from '@tenon/host';
import type { Manifest } from '@tenon/kernel';
import {
  agents,
  bundles,
  type Bundle,
  commands,
  contextFiles,
  type Discovery,
  extensionModules,
  externalHooks,
  hookModules,
  lspServers,
  mcpServers,
  prompts,
  rules,
  skills,
  themes,
  toolModules,
} from '@tenon/discovery/api';
import { describePermissions, wantedPermissions } from '@tenon/pack-host/api';
import type { Definition } from '../store/definition.ts';
import type { FileRecord } from '../tree/file-list.ts';
import { type Idle, idleParts } from './idle.ts';
import { type Power, powersOf } from './powers.ts';

/** A file that can be run. */
export interface Program {
  readonly path: string;
  readonly sha256: string;
  /** `binary`, `script`, or `module` for code that is loaded by something else. */
  readonly kind: 'binary' | 'script' | 'module';
}

/** Everything about one version of a plugin that a person should see before it is installed. */
export interface Review {
  /** Kind -> names: what only informs the model. */
  readonly brings: Readonly<Record<string, readonly string[]>>;
  /** What runs something, reaches out, or is granted. */
  readonly powers: readonly Power[];
  readonly programs: readonly Program[];
  readonly problems: readonly string[];
  /** What it brings that Tenon does not use yet. */
  readonly idle: Idle;
}

/** Bundles that are being looked at: whoever looks from inside of one sees it, and nobody else does. */
export class Reviews {
  readonly #open = new Map<string, Bundle>();

  /** The bundle in this folder, if it is being looked at. */
  get(folder: string): Bundle | undefined {
    return this.#open.get(folder);
  }

  /** Looks at a plugin in a folder. */
  async look(
    definition: Definition,
    folder: string,
    files: readonly FileRecord[],
    parts: {
      readonly discovery: () => Promise<Discovery>;
      readonly pack: Manifest | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<Review> {
    const programs = await programsOf(folder, files);
    const permissions = parts.pack ? describePermissions(wantedPermissions(parts.pack)) : [];
    const packPowers = [
      ...(parts.pack ? [{ kind: 'pack', text: `pack "${parts.pack.id}": code that runs isolated` } as const] : []),
      ...permissions.map((text): Power => ({ kind: 'permission', text: `may ${text}` })),
    ];
    const offered = Object.entries(parts.pack?.contributes ?? {}).map(
      ([slot, keys]) => [slot, Object.keys(keys)] as const,
    );
    const packBrings = Object.fromEntries(offered);
    const { name, format, manifest } = definition;
    if (format === undefined) return { brings: packBrings, powers: packPowers, programs, problems: [], idle: {} };
    this.#open.set(folder, { name, folder, format, level: 'user', manifest });
    try {
      const contents = await this.#discover(folder, name, files, await parts.discovery(), parts.signal);
      return {
        ...contents,
        brings: { ...packBrings, ...contents.brings },
        powers: [...packPowers, ...contents.powers],
        programs,
      };
    } finally {
      this.#open.delete(folder);
    }
  }

  async #discover(
    folder: string,
    name: string,
    files: readonly FileRecord[],
    discovery: Discovery,
    signal: AbortSignal,
  ): Promise<Omit<Review, 'programs'>> {
    const seen = await discovery.load(bundles, folder, signal);
    if (!seen.items.some(({ value }) => value.folder === folder))
      throw new Error('the bundle under review is not found');
    const problems = new Set<string>();
    const load = async <V>(kind: Parameters<typeof discovery.load<V>>[0]) => {
      const { items, ignored, problems: faults } = await discovery.load(kind, folder, signal);
      for (const { message } of faults)
        if (message.includes(folder)) problems.add(message.replaceAll(folder + sep, ''));
      // What something else shadows today may come to light tomorrow.
      return [...items, ...ignored].filter(({ bundle, file }) => bundle === name && isBelow(file, folder));
    };
    const named = {
      'context files': (await load(contextFiles)).map(({ file }) => relative(folder, file)),
      rules: (await load(rules)).map(({ key }) => key),
      agents: (await load(agents)).map(({ key }) => key),
      themes: (await load(themes)).map(({ key }) => key),
    };
    const [foundSkills, foundCommands] = [await load(skills), [...(await load(commands)), ...(await load(prompts))]];
    const modules = [
      ...(await load(extensionModules)).map(({ value }) => ['extension', value.path] as const),
      ...(await load(toolModules)).map(({ value }) => ['tool module', value.path] as const),
      ...(await load(hookModules)).map(({ value }) => ['hook module', value.path] as const),
    ];
    const powers = powersOf({
      hooks: (await load(externalHooks)).map(({ value }) => value),
      mcp: (await load(mcpServers)).map(({ value }) => value),
      lsp: (await load(lspServers)).map(({ value }) => value),
      commands: foundCommands.map(({ value }) => value),
      skills: foundSkills.map(({ value }) => value),
      modules: modules.map(([what, path]) => ({ what, path: relative(folder, path) })),
    });
    const brings = {
      skills: foundSkills.map(({ key }) => key),
      commands: foundCommands.map(({ value }) => value.name),
      ...named,
    };
    const present = Object.entries(brings).filter(([, names]) => names.length > 0);
    return {
      brings: Object.fromEntries(present.map(([kind, names]) => [kind, names.sort()])),
      powers,
      problems: [...problems],
      idle: idleParts(files),
    };
  }
}

const SCRIPT = /\.(?:sh|bash|zsh|fish|command|ps1|psm1|bat|cmd|vbs|py|pyw|rb|pl|php|lua|tcl|awk|applescript|scpt)$/i;
const BINARY = /\.(?:exe|dll|so(?:\.\d+)*|dylib|node|com|msi|jar|class|wasm|pyc|o|a|bin|app|deb|rpm|apk|dmg)$/i;
const MODULE = /\.(?:[cm]?[jt]sx?)$/i;

async function programsOf(folder: string, files: readonly FileRecord[]): Promise<Program[]> {
  const programs: Program[] = [];
  for (const { path, mode, sha256 } of files) {
    if (mode === 'link') continue;
    const kind = await kindOf(join(folder, path), path, mode === 'program');
    if (kind !== undefined) programs.push({ path, sha256, kind });
  }
  return programs;
}

async function kindOf(file: string, path: string, executable: boolean): Promise<Program['kind'] | undefined> {
  const head = await headOf(file);
  const magic = head.toString('latin1');
  if (
    BINARY.test(path) ||
    /^(?:\x7fELF|MZ|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\0asm)/.test(magic)
  )
    return 'binary';
  if (SCRIPT.test(path) || magic.startsWith('#!')) return 'script';
  if (MODULE.test(path) && !/\.d\.[cm]?ts$/i.test(path)) return 'module';
  return executable ? 'script' : undefined;
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
