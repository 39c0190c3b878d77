/** A kernel with real plugins over a real repository, for the tests of tools. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from '@tenon/host';
import type { Kernel } from '@tenon/kernel';
import { provideServices } from '@tenon/kernel/testing';
import { type ToolArtifact, type ToolResult, toolRunner, type ToolScope } from '@tenon/tools/api';
import { endKernel, foldersIn, startKernel } from './kernel.ts';
import { candidatesOf, type PluginSource } from './plugins.ts';
import { later, putFiles, temporaryFolder } from './temporary.ts';

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

/** What the contract suite needs beside a plugin of tools: folders, and the plugins that every tool needs. */
export async function surroundings(...more: PluginSource[]) {
  return [provideServices([[folders, foldersIn('/tmp')]]), ...(await candidatesOf([...BASE, ...more]))];
}

const BASE = ['settings', 'tools', 'urls'];

/** Starts a kernel with these plugins over a new repository. */
export async function openWorkbench(
  plugins: readonly PluginSource[],
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
  const home = temporaryFolder('tools');
  const root = join(home, 'project');
  const own = join(home, ownFolder);
  mkdirSync(root);
  execFileSync('git', ['init', '-q'], { cwd: root });
  putFiles(root, files);
  const path = (name: string) => join(root, name);
  const kernel = await startKernel({
    folders: { ...foldersIn(own, root), home },
    settings,
    plugins: [...BASE, ...plugins],
  });
  later(() => endKernel(kernel));
  const runner = await kernel.find(toolRunner);
  const bench: Workbench = {
    kernel,
    root,
    home,
    path,
    put: (name, content) => putFiles(root, { [name]: content }),
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
      await endKernel(kernel);
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
