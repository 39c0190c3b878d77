/** A workspace with undo over it, without a kernel: calls are functions that change files. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import type { Undo } from '../src/api.ts';
import { createUndo } from '../src/undo-service.ts';
import type { Workspace, WorkspaceOptions } from '../src/workspace.ts';
import { Workspaces } from '../src/workspaces.ts';

export const RULES: WorkspaceOptions = {
  includeIgnored: false,
  maxFileBytes: 1 << 20,
  maxBytes: 1 << 28,
  maxFiles: 100_000,
  keepDays: 14,
};

/** What a test works with. */
export interface UndoBench {
  readonly root: string;
  readonly home: string;
  readonly state: string;
  readonly undo: Undo;
  readonly workspaces: Workspaces;
  workspace(): Promise<Workspace>;
  /** Runs a call that changes files, with a snapshot before and after. */
  call(work: () => void | Promise<void>, session?: string): Promise<number | undefined>;
  /** The same store, as another process sees it. */
  again(rules?: Partial<WorkspaceOptions>): UndoBench;
}

/** Opens one. */
export function openBench(rules: Partial<WorkspaceOptions> = {}, at?: { home: string; root: string }): UndoBench {
  const home = at?.home ?? temporaryFolder('undo');
  const root = at?.root ?? join(home, 'project');
  mkdirSync(root, { recursive: true });
  const state = join(home, 'state');
  const folder = (name: string) => join(home, name);
  const folders = { config: folder('config'), data: folder('data'), state, cache: folder('cache'), home, cwd: root };
  const workspaces = new Workspaces(folders, { ...RULES, ...rules });
  const undo = createUndo(workspaces);
  const workspace = () => workspaces.of(root);
  return {
    root,
    home,
    state,
    undo,
    workspaces,
    workspace,
    async call(work, session) {
      const space = await workspace();
      const about = { kind: 'call', tool: 'bash', title: 'test', ...(session !== undefined && { session }) } as const;
      const { id } = await space.locked(() => space.begin(about));
      await work();
      return (await space.locked(() => space.end(id)))?.id;
    },
    again: (more = {}) => openBench({ ...rules, ...more }, { home, root }),
  };
}
