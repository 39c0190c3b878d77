/** Where the runs of a host work: checkouts made from what travels. Looks like worktrees to the keeper. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '@tenon/host';
import type { Run, RunStore } from '@tenon/runs/api';
import type { MadeWorktree, Worktree, Worktrees, WorktreeStatus } from '@tenon/worktrees/api';
import type { Database } from '../database/database.ts';
import type { RemotePolicy } from '../work/remotes.ts';
import { makeCheckout } from '../work/travel.ts';

/** What workspaces are made with. */
export interface WorkspaceParts {
  readonly database: Database;
  readonly folder: string;
  readonly runs: Pick<RunStore, 'get'>;
  /** Which remotes that a run names are fetched from. */
  readonly remotes: RemotePolicy | undefined;
  /** The worktrees of this machine, which know how dependencies are installed. */
  own(): Promise<Worktrees | undefined>;
}

/** Checkouts in a folder, by the id of their run. */
export class Workspaces implements Worktrees {
  readonly #parts: WorkspaceParts;
  readonly #made = new Map<string, Worktree>();

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  /** Where a run works. */
  folderOf(run: string): string {
    return join(this.#parts.folder, run);
  }

  /** An empty folder for a run that brings no files. */
  async makeEmpty(run: string): Promise<void> {
    await mkdir(this.folderOf(run), { recursive: true, mode: 0o700 });
  }

  async create(_cwd: string, _name?: string, options: { readonly holder?: string } = {}): Promise<MadeWorktree> {
    const run = await this.#parts.runs.get(options.holder ?? '');
    if (run === undefined) throw new TypeError('a workspace belongs to a run');
    const folder = this.folderOf(run.id);
    const isReused = run.worktree?.folder === folder && existsSync(join(folder, '.git'));
    if (!isReused) {
      // What lies there is from before another host had the run.
      await rm(folder, { recursive: true, force: true });
      await this.makeEmpty(run.id);
      await makeCheckout(this.#parts.database, run, folder, this.#parts.remotes);
    }
    return { worktree: this.#remember(run), isReused, notices: [] };
  }

  #remember(run: Run): Worktree {
    const worktree: Worktree = {
      name: run.alias,
      folder: this.folderOf(run.id),
      branch: `tenon/${run.alias}`,
      holder: run.id,
      repository: join(this.folderOf(run.id), '.git'),
      base: run.request.workspace?.base ?? '',
      since: run.created,
    };
    this.#made.set(run.id, worktree);
    return worktree;
  }

  /** A request that brings files says so. */
  wants(_task: string, wish: 'auto' | boolean): boolean {
    return wish === true;
  }

  async install(
    worktree: Worktree,
    call: { readonly signal: AbortSignal; output?(text: string): void },
  ): Promise<string | undefined> {
    return (await this.#parts.own())?.install(worktree, call);
  }

  async list(): Promise<readonly Worktree[]> {
    return [...this.#made.values()];
  }

  async status({ folder, base }: Worktree): Promise<WorktreeStatus> {
    if (!existsSync(folder)) return { state: 'gone', changes: 0, commits: 0, onlyHere: 0, isUntouched: true };
    const files = await runGit(folder, ['status', '--porcelain', '-z', '--ignore-submodules=dirty']);
    const changes = files.out.split('\0').filter(Boolean).length;
    const head = (await runGit(folder, ['rev-parse', 'HEAD'])).out.trim();
    const commits = Number((await runGit(folder, ['rev-list', '--count', `${base}..HEAD`])).out.trim() || 0);
    return { state: 'present', changes, commits, onlyHere: commits, isUntouched: changes === 0 && head === base };
  }

  async remove(worktree: Worktree) {
    await this.forget(worktree.holder ?? '');
    return { worktree };
  }

  /** The run is over, and its work is in the database. */
  async release(worktree: Worktree) {
    const status = await this.status(worktree);
    await this.remove(worktree);
    return { status, isRemoved: true };
  }

  async collect() {
    return [];
  }

  /** Removes the folder of a run. */
  async forget(run: string): Promise<void> {
    this.#made.delete(run);
    if (run !== '') await rm(this.folderOf(run), { recursive: true, force: true });
  }
}
