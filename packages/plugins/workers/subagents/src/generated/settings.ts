// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface SubagentsSettings {
  readonly maxConcurrent: number;
  readonly maxTasks: number;
  readonly maxDepth: number;
  readonly disabled: readonly string[];
  readonly modelOverrides: Readonly<Record<string, string>>;
  readonly timeoutMinutes: number;
  readonly isolation: {
    readonly mode: 'none' | 'worktree' | 'overlay';
    readonly merge: 'patch' | 'branch';
    readonly commits: 'generic' | 'ai';
  };
}
