/** A kernel with the real packs and pack-host plugins, on folders of its own. */
import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cliCommands, type CommandIo } from '@tenon/command-line/api';
import { type Folders, folders, kernelView } from '@tenon/host';
import { doctorChecks } from '@tenon/doctor/api';
import { createKernel, type Kernel, type Plugin, type Service } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, type PluginPackage, provideServices } from '@tenon/kernel/testing';
import packHostPlugin from '@tenon/pack-host';
import { toolCall, toolResult, tools } from '@tenon/tools/api';
import packsPlugin from '../../src/plugin.ts';

const tokens = [tools, toolCall, toolResult, cliCommands, doctorChecks];

/** What one run of a command wrote and gave. */
export interface CommandRun {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** Folders that live as long as the test. */
export interface Home {
  readonly base: string;
  readonly folders: Folders;
  /** Writes a pack; `place` is under the data folder, the project, or anywhere. */
  writePack(folder: string, manifest: Record<string, unknown>, files?: Record<string, string>): string;
  remove(): void;
}

/** Makes the folders. */
export function makeHome(): Home {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-packs-')));
  const at = (name: string) => join(base, name);
  const cwd = at('workspace');
  mkdirSync(join(cwd, '.tenon', 'packs'), { recursive: true });
  mkdirSync(at('home'));
  return {
    base,
    folders: {
      config: at('config'),
      data: at('data'),
      state: at('state'),
      cache: at('cache'),
      project: join(cwd, '.tenon'),
      home: at('home'),
      cwd,
    },
    writePack(folder, manifest, files = {}) {
      const content = {
        name: 'x',
        version: '1.2.3',
        type: 'module',
        tenon: { kernel: '^1', entry: 'plugin.ts', ...manifest },
      };
      const all = {
        'package.json': JSON.stringify(content, null, 2),
        'plugin.ts': emptyPlugin(String(manifest['id'])),
        ...files,
      };
      for (const [name, text] of Object.entries(all)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      return folder;
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The code of a pack that does nothing. */
export function emptyPlugin(id: string): string {
  return `import { definePlugin } from '@tenon/kernel';\nexport default definePlugin({ id: '${id}', activate() {} });\n`;
}

/** A kernel as one start of `tenon` has it; packs were looked for. */
export interface Tenon {
  readonly kernel: Kernel;
  run(
    words: string,
    args?: Record<string, string>,
    flags?: Record<string, string | boolean>,
    io?: Partial<CommandIo>,
  ): Promise<CommandRun>;
  complaints(): string[];
  state(id: string): string | undefined;
  end(): Promise<void>;
}

/** Starts one. */
export async function startTenon({ folders: found }: Pick<Home, 'folders'>): Promise<Tenon> {
  const kernel = createKernel();
  const view = Object.assign(Object.create(null), kernel, { version: '0.1.0', folders: found }) as never;
  const services: (readonly [Service<unknown>, unknown])[] = [
    [folders, found],
    [kernelView, view],
  ];
  const defines = { slots: ['tools', 'cli-commands', 'doctor-checks'], hooks: ['tool.call', 'tool.result'] };
  kernel.install(
    provideServices(services),
    inlineCandidate({ id: 'tokens', defines: tokens, activate: () => undefined }, { defines }),
    await builtIn('pack-host', packHostPlugin),
    await builtIn('packs', packsPlugin),
  );
  await kernel.discover({ cwd: found.cwd, home: found.home, trusted: false });
  return {
    kernel,
    async run(words, args = {}, flags = {}, io = {}) {
      const written = { out: '', err: '' };
      const command = await kernel.read(cliCommands).resolve(words);
      const full: CommandIo = {
        out: async (text) => void (written.out += text),
        err: async (text) => void (written.err += text),
        json: async (value) => void (written.out += `${JSON.stringify(value)}\n`),
        color: false,
        interactive: false,
        width: 80,
        ...io,
      };
      const code =
        (await command.run({ args, flags, io: full, cwd: found.cwd, signal: new AbortController().signal })) ?? 0;
      return { ...written, code };
    },
    complaints: () => kernel.diagnostics().map(({ error }) => error.message),
    state: (id) => kernel.status().find((one) => one.id === id)?.state,
    end: () => kernel.dispose(),
  };
}

/** A built-in plugin with the manifest of its package. */
async function builtIn(name: string, plugin: Plugin) {
  const file = createRequire(import.meta.url).resolve(`@tenon/${name}/package.json`);
  return candidateFrom(JSON.parse(readFileSync(file, 'utf8')) as PluginPackage, plugin, file);
}
