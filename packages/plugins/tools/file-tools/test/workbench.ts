/** A kernel with real plugins over a real folder, for the tests of the tool plugins. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { folders } from '@tenon/host';
import { createKernel, type Kernel, type Plugin, settingsLayers } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, type PluginPackage, provideServices } from '@tenon/kernel/testing';
import settingsPlugin from '@tenon/settings';
import toolsPlugin from '@tenon/tools';
import { type ToolArtifact, type ToolResult, toolRunner, type ToolScope } from '@tenon/tools/api';
import urlsPlugin from '@tenon/urls';
import settingsPackage from '../../../foundation/settings/package.json' with { type: 'json' };
import toolsPackage from '../../../foundation/tools/package.json' with { type: 'json' };
import urlsPackage from '../../../agent/urls/package.json' with { type: 'json' };

/** What a test works with. */
export interface Workbench {
  readonly kernel: Kernel;
  /** The project folder, a git repository. */
  readonly root: string;
  readonly home: string;
  path(name: string): string;
  put(name: string, content: string | Uint8Array): void;
  get(name: string): string;
  run(
    tool: string,
    input: unknown,
    options?: { session?: string; signal?: AbortSignal; updates?: ToolResult[] },
  ): Promise<ToolResult>;
  /** The text of a call that must succeed. */
  ok(tool: string, input: unknown, session?: string): Promise<string>;
  /** The text of a call that must fail. */
  fails(tool: string, input: unknown, session?: string): Promise<string>;
  dispose(): Promise<void>;
}

/** The text of a result. */
export function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : `<${part.mimeType}>`)).join('\n');
}

/** What the contract suite needs beside the plugin under test. */
export function surroundings(home: string) {
  return provideServices([[folders, { config: home, data: home, state: home, cache: home, home, cwd: home }]]);
}

/** The plugins that every tool needs. */
export async function basePlugins() {
  return [
    await candidateFrom(settingsPackage, settingsPlugin),
    await candidateFrom(toolsPackage, toolsPlugin),
    await candidateFrom(urlsPackage, urlsPlugin),
  ];
}

/** Starts a kernel with the given plugins over a new repository. */
export async function openWorkbench(
  plugins: readonly (readonly [PluginPackage, Plugin])[],
  {
    files = {},
    settings = {},
    ownFolder = '.',
  }: {
    files?: Record<string, string | Uint8Array>;
    settings?: Record<string, unknown>;
    /** Where Tenon keeps its own files, relative to the home folder. */
    ownFolder?: string;
  } = {},
): Promise<Workbench> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-tools-')));
  const root = join(home, 'project');
  const own = join(home, ownFolder);
  mkdirSync(root);
  execFileSync('git', ['init', '-q'], { cwd: root });
  const path = (name: string) => join(root, name);
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  const kernel = createKernel();
  const layer = { name: 'test', rank: 1, read: async () => ({ values: settings, origin: 'test' }) };
  kernel.install(
    provideServices([[folders, { config: own, data: own, state: own, cache: own, home, cwd: root }]]),
    inlineCandidate(
      { id: 'test-layer', activate: (ctx) => void ctx.contribute(settingsLayers, 'test', layer) },
      { contributes: { 'settings-layers': { test: {} } } },
    ),
    ...(await basePlugins()),
    ...(await Promise.all(plugins.map(([source, plugin]) => candidateFrom(source, plugin)))),
  );
  const problems = kernel.diagnostics().map(({ error }) => error.message);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const runner = await kernel.find(toolRunner);
  const bench: Workbench = {
    kernel,
    root,
    home,
    path,
    put,
    get: (name) => readFileSync(path(name), 'utf8'),
    run: (tool, input, { session = 'one', signal, updates } = {}) =>
      runner.run(tool, input, {
        scope: scopeIn(home, root, session),
        ...(signal && { signal }),
        ...(updates && { onUpdate: (partial) => void updates.push(partial) }),
      }),
    async ok(tool, input, session) {
      const result = await bench.run(tool, input, { ...(session !== undefined && { session }) });
      if (result.isError) throw new Error(`${tool} failed: ${textOf(result)}`);
      return textOf(result);
    },
    async fails(tool, input, session) {
      const result = await bench.run(tool, input, { ...(session !== undefined && { session }) });
      if (!result.isError) throw new Error(`${tool} should have failed: ${textOf(result)}`);
      return textOf(result);
    },
    async dispose() {
      await kernel.dispose();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return bench;
}

/** Artifacts as a session keeps them: numbered files beside it. */
function scopeIn(home: string, cwd: string, session: string): ToolScope {
  const folder = join(home, `artifacts-${session}`);
  const file = (id: string) => join(folder, `${id}.log`);
  let next = 0;
  return {
    session,
    cwd,
    artifact: async (): Promise<ToolArtifact> => {
      mkdirSync(folder, { recursive: true });
      const id = String(next++);
      writeFileSync(file(id), '');
      return { id, path: file(id) };
    },
    artifactPath: async (id) => file(id),
  };
}

/** The anchor that a listing shows for the first line that contains `text`. */
export function anchorOf(listing: string, text: string): string {
  const row = listing.split('\n').find((line) => line.includes(text));
  const anchor = row === undefined ? undefined : /^[* +]?(\d+[a-z]{2})\|/.exec(row)?.[1];
  if (anchor === undefined) throw new Error(`no anchor for "${text}" in:\n${listing}`);
  return anchor;
}
