/** A kernel with the real packs and pack-host plugins, on folders of its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cliCommands, type CommandIo } from '@tenon/command-line/api';
import { type Folders } from '@tenon/host';
import { doctorChecks } from '@tenon/doctor/api';
import { type CommandRun, runCommand } from '@tenon/test-kit/command-run';
import { startKernel } from '@tenon/test-kit/kernel';
import { type Kernel } from '@tenon/kernel';
import { toolCall, toolResult, tools } from '@tenon/tools/api';

const tokens = [tools, toolCall, toolResult, cliCommands, doctorChecks];

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
  const kernel = await startKernel({ folders: found, defines: tokens, plugins: ['pack-host', 'packs'] });
  await kernel.discover({ cwd: found.cwd, home: found.home, trusted: false });
  return {
    kernel,
    run: (words, args = {}, flags = {}, io = {}) => runCommand(kernel, words, { args, flags, io, cwd: found.cwd }),
    complaints: () => kernel.diagnostics().map(({ error }) => error.message),
    state: (id) => kernel.status().find((one) => one.id === id)?.state,
    end: () => kernel.dispose(),
  };
}
