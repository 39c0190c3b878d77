/** Which commands validate a change: what the settings say, else what the project shows. */
import { basename } from 'node:path';
import type { ValidationPlan, ValidationStep } from './api.ts';
import { changeIn } from './changed-files.ts';
import type { Change, ProjectKind } from './project.ts';
import { cargoProject } from './projects/cargo.ts';
import { goProject } from './projects/go.ts';
import { jvmProject } from './projects/jvm.ts';
import { nodeProject } from './projects/node.ts';
import { pythonProject } from './projects/python.ts';

/** Commands by the name or path of a project's folder. */
export type Overrides = Readonly<Record<string, string | readonly string[]>>;

const KINDS: readonly ProjectKind[] = [nodeProject, cargoProject, goProject, pythonProject, jvmProject];

/** Makes the plan. `names`: other names of the project, for example of the repository that a worktree belongs to. */
export async function planValidation(
  request: { readonly cwd: string; readonly base?: string; readonly names?: readonly string[] },
  overrides: Overrides,
): Promise<ValidationPlan> {
  const change = await changeIn(request.cwd, request.base);
  const names = [...(request.names ?? []), change.root, request.cwd];
  const override = names.flatMap((name) => [name, basename(name)]).find((name) => Object.hasOwn(overrides, name));
  if (override !== undefined) return overridden(change, override, overrides[override] ?? []);
  if (change.files?.length === 0 && request.base !== undefined)
    return { by: 'none', root: change.root, steps: [], reason: 'Nothing was changed.' };
  // A folder below the top may be a project of its own, in a repository that is none.
  const places = change.root === request.cwd ? [change] : [change, narrowed(change, request.cwd)];
  for (const place of places) {
    const found = KINDS.flatMap((kind) => kind(place) ?? []);
    if (found.length === 0) continue;
    const how = found.map((project) => project.how).join(', ');
    const isScoped = found.some((project) => project.isScoped);
    return {
      by: isScoped ? 'monorepo' : 'simple',
      root: place.root,
      steps: found.flatMap((project) => project.steps),
      reason: isScoped ? `Only what changed, with ${how}.` : `The whole project, with ${how}.`,
    };
  }
  return {
    by: 'none',
    root: change.root,
    steps: [],
    reason: `${change.root} has no build or test command that Tenon knows.`,
  };
}

function overridden({ root }: Change, name: string, commands: string | readonly string[]): ValidationPlan {
  const steps = (typeof commands === 'string' ? [commands] : commands).map((command): ValidationStep => ({
    title: command,
    argv: ['/bin/sh', '-c', command],
    cwd: root,
  }));
  return { by: 'override', root, steps, reason: `The setting validation.commands names them for "${name}".` };
}

function narrowed({ root, files }: Change, cwd: string): Change {
  const below = `${cwd.slice(root.length + 1)}/`;
  return {
    root: cwd,
    files: files?.filter((file) => file.startsWith(below)).map((file) => file.slice(below.length)),
  };
}
