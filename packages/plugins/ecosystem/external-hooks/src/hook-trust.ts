/** Which hooks may run: those of a project only where the folder that brings them is trusted, and that can lie above the working folder. */
import type { Discovered } from '@tenon/discovery/api';
import type { ProjectProgram } from '@tenon/trust/api';
import { cutText } from '@tenon/wording';
import type { BoundHook } from './hook-table.ts';

/** The folder that must be trusted before something runs; none for what is the user's own, and for packs, which have permissions. */
export function folderToTrust(
  { level, project, pack }: Pick<Discovered<unknown>, 'level' | 'project' | 'pack'>,
  cwd: string,
): string | undefined {
  return level === 'project' && pack === undefined ? (project ?? cwd) : undefined;
}

/** What needs trust, by folder. Outer folders come first: trust in one of them counts for those inside, which need no question then. */
export function byFolder(hooks: readonly BoundHook[]): ReadonlyMap<string, readonly BoundHook[]> {
  const groups = new Map<string, BoundHook[]>();
  for (const bound of hooks) {
    if (bound.trustFolder === undefined) continue;
    groups.set(bound.trustFolder, [...(groups.get(bound.trustFolder) ?? []), bound]);
  }
  return new Map([...groups].sort(([a], [b]) => a.length - b.length));
}

/** A hook as something that trust holds for: its command, and the files of the project that it runs. */
export function programOf({ hook, file, projectFolder }: BoundHook): ProjectProgram {
  const { type, command, argv, url, headers, prompt, variables, cwd } = hook;
  const runs = command ?? argv?.join(' ') ?? url ?? prompt ?? '';
  return {
    name: `the hook ${[hook.event, hook.matcher].filter(Boolean).join(' ')} (${cutText(runs, 200)})`,
    file,
    definition: { type, command, argv, url, headers, prompt, variables, cwd },
    cwd: projectFolder,
  };
}

/** True for the user's own hooks, those of packs, and those of folders that are trusted. */
export function mayRun({ trustFolder }: BoundHook, trusted: ReadonlySet<string>): boolean {
  return trustFolder === undefined || trusted.has(trustFolder);
}
