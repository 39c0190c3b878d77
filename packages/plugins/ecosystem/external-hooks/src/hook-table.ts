/** The hooks of a folder, by what they wait for. */
import { createHash } from 'node:crypto';
import { dirname, sep } from 'node:path';
import { type Discovered, type Discovery, type ExternalHook, externalHooks } from '@tenon/discovery/api';
import type { TenonError } from '@tenon/kernel';
import type { EventSpec } from './dialects/dialect.ts';
import { specOf } from './dialects/index.ts';
import { folderToTrust } from './hook-trust.ts';
import { addressProblem, httpParts, shownAddress } from './http-hook.ts';
import { matcherProblem } from './matcher.ts';
import type { Moment } from './occasion.ts';

/** A hook that can be run. */
export interface BoundHook {
  readonly hook: ExternalHook;
  readonly spec: EventSpec;
  readonly level: 'user' | 'project';
  readonly file: string;
  /** The folder that must be trusted before it runs; none for a hook of the user's own. */
  readonly trustFolder?: string;
  /** The isolated pack that brings it: it runs in the pack's sandbox and with its permissions. */
  readonly pack?: string;
  /** The bundle that brings it. */
  readonly bundle?: string;
  /** The folder that its files count from. */
  readonly projectFolder: string;
  /** What makes it the same hook as another. */
  readonly identity: string;
}

/** A hook that never runs, and why. */
export interface IdleHook {
  readonly item: Discovered<ExternalHook>;
  readonly reason: string;
}

/** All hooks of a folder. */
export interface HookTable {
  readonly all: readonly BoundHook[];
  readonly byMoment: ReadonlyMap<Moment, readonly BoundHook[]>;
  readonly idle: readonly IdleHook[];
  readonly problems: readonly TenonError[];
  /** What is not as it should be, though the hooks run. */
  readonly warnings: readonly string[];
  /** Differs when any hook does. */
  readonly fingerprint: string;
}

/** No hooks at all. */
export const NO_HOOKS: HookTable = {
  all: [],
  byMoment: new Map(),
  idle: [],
  problems: [],
  warnings: [],
  fingerprint: '',
};

/** Claude Code runs prompts only where they can decide something. */
const PROMPT_MOMENTS: ReadonlySet<Moment> = new Set<Moment>([
  'before-tool',
  'after-tool',
  'permission',
  'prompt',
  'stop',
  'subagent-stop',
]);

/** Finds the hooks of a folder. */
export async function loadHooks(discovery: Discovery, cwd: string, signal?: AbortSignal): Promise<HookTable> {
  const { items, problems } = await discovery.load(externalHooks, cwd, signal);
  return items.length === 0 && problems.length === 0 ? NO_HOOKS : tableOf(items, cwd, problems);
}

/** Sorts hooks by what they wait for. */
export function tableOf(
  items: readonly Discovered<ExternalHook>[],
  cwd: string,
  problems: readonly TenonError[] = [],
): HookTable {
  const all: BoundHook[] = [];
  const idle: IdleHook[] = [];
  const byMoment = new Map<Moment, BoundHook[]>();
  const warnings: string[] = [];
  for (const item of items) {
    const { value: hook, level, file, pack, bundle } = item;
    const spec = specOf(hook);
    const reason = idleReason(hook, spec);
    const trustFolder = folderToTrust(item, cwd);
    if (!spec || reason !== undefined) {
      idle.push({ item, reason: reason ?? '' });
      continue;
    }
    const bound: BoundHook = {
      hook,
      spec,
      level,
      file,
      ...(trustFolder !== undefined && { trustFolder }),
      ...(pack !== undefined && { pack }),
      ...(bundle !== undefined && { bundle }),
      projectFolder: level === 'project' && pack === undefined ? projectFolderOf(hook.path, cwd) : cwd,
      identity: JSON.stringify([
        hook.dialect,
        hook.event,
        httpParts(hook) ?? hook.command ?? hook.argv ?? hook.prompt,
        hook.variables,
        // A stranger's hook must not stand for the same one of the user or of a project.
        pack,
      ]),
    };
    const problem = matcherProblem(hook.matcher);
    if (problem !== undefined) warnings.push(`${hook.event} in ${file}: ${problem}.`);
    all.push(bound);
    byMoment.set(spec.moment, [...(byMoment.get(spec.moment) ?? []), bound]);
  }
  const definitions = JSON.stringify(all.map(({ hook, level, trustFolder, pack }) => [level, trustFolder, pack, hook]));
  const fingerprint = createHash('sha256').update(definitions).digest('hex');
  return { all, byMoment, idle, problems, warnings, fingerprint };
}

function idleReason(hook: ExternalHook, spec: EventSpec | undefined): string | undefined {
  if (!spec) return `${hook.dialect} has no event "${hook.event}" that Tenon knows`;
  const http = httpParts(hook);
  if (http) return addressProblem(http.url);
  const what = hook.command ?? hook.argv ?? hook.prompt;
  if (what === undefined || what.length === 0) return 'it has nothing to run';
  if (hook.type === 'prompt' && !PROMPT_MOMENTS.has(spec.moment)) return `${hook.event} has no hooks of type "prompt"`;
  return undefined;
}

/** The folder above `.claude`, `.cursor`…: commands name their scripts from there. */
function projectFolderOf(path: string, cwd: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const name = folder.slice(folder.lastIndexOf(sep) + 1);
    if (/^\.(?:claude|codex|gemini|cursor|tenon)$/.test(name)) return dirname(folder);
  }
  return cwd;
}

/** What a hook runs, asks or sends to, for people. */
export function actionOf(hook: ExternalHook): string {
  const http = httpParts(hook);
  if (http) return `POST ${shownAddress(http.url)}`;
  return hook.command ?? hook.argv?.join(' ') ?? hook.prompt ?? '';
}

/** A hook in one line, for people. */
export function labelOf({ hook }: Pick<BoundHook, 'hook'>): string {
  const what = actionOf(hook);
  const line = what.replace(/\s+/g, ' ').trim();
  return `${hook.event} hook \`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``;
}
