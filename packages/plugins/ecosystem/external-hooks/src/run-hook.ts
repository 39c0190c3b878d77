/** Runs one hook for one payload. */
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type KernelAccess, messageOf } from '@tenon/kernel';
import type { Launch, PackRights } from '@tenon/pack-host/api';
import { BASH_LINE, type ShellCommand, type ShellEnd, runShellCommand } from './command-run.ts';
import type { Payload } from './dialects/dialect.ts';
import { dialects } from './dialects/index.ts';
import { type BoundHook, labelOf } from './hook-table.ts';
import { type HttpEnd, httpParts, post } from './http-hook.ts';
import type { HookSite } from './occasion.ts';
import type { Reading } from './outcome.ts';
import { PROMPT_TIMEOUT_MS } from './prompt-hook.ts';
import { readAnswer, readEnd } from './reading.ts';

/** The end of a session must not wait for long. */
const SESSION_END_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 3_600_000;

/** What running hooks needs. */
export interface RunContext {
  readonly kernel: Pick<KernelAccess, 'find' | 'run'>;
  readonly site: HookSite;
  /** How long a hook may take that says nothing about it. */
  readonly timeoutMs: number;
  /** Where commands may write variables down. */
  readonly envFile?: string;
  readonly signal: AbortSignal;
  /** What may be done in the name of a pack. */
  rights(pack: string): Promise<PackRights>;
  /** Where plugins keep what must outlive an update of theirs. */
  readonly pluginData: string;
  /** Takes over a hook that says while it runs that nobody should wait for it; absent where everything is waited for. */
  background?(run: Promise<HookRun>): void;
}

/** What a hook did. */
export interface HookRun {
  readonly bound: BoundHook;
  readonly payload: Payload;
  readonly reading: Reading;
  /** Absent for questions to a model. */
  readonly end?: ShellEnd | HttpEnd;
  /** What the user agreed to for the pack that brings it. */
  readonly uses?: readonly string[];
}

/** Runs it. Never rejects: what goes wrong is part of what it says. */
export async function runHook(bound: BoundHook, payload: Payload, context: RunContext): Promise<HookRun> {
  const { hook, spec } = bound;
  const { site, signal } = context;
  const dialect = dialects[hook.dialect];
  const facts = JSON.stringify({ ...dialect.common(site, hook.event), ...payload.fields });
  const timeoutMs = timeoutOf(bound, context.timeoutMs);
  const label = labelOf(bound);
  if (hook.type === 'prompt') {
    const { askModel } = await import('./prompt-hook.ts');
    const prompt = hook.prompt ?? '';
    const question = { prompt, facts, label, session: site.session || undefined, timeoutMs, signal };
    return { bound, payload, reading: await askModel(context.kernel, question) };
  }
  const failClosed = hook.failClosed === true;
  const http = httpParts(hook);
  const rights = bound.pack === undefined ? undefined : await context.rights(bound.pack);
  if (http) {
    const end = await post(http, facts, { timeoutMs, signal, ...(rights && { fetch: rights.fetch }) });
    const reading = readAnswer({ dialect, spec, payload, end, label, timeoutMs, failClosed });
    return { bound, payload, end, reading, ...usesOf(rights) };
  }
  const isNotify = hook.type === 'notify';
  const variables = await variablesOf(bound, context.pluginData);
  // No shell reads these, so that every name is put in here.
  const argv = (hook.argv ?? []).map((word) => substituted(word, variables, /^.+$/));
  const judge = (end: ShellEnd): HookRun => {
    const reading = readEnd({ dialect, spec, payload, end, label, timeoutMs, failClosed });
    return { bound, payload, end, reading, ...usesOf(rights) };
  };
  if (rights) {
    const words = hook.command === undefined ? argv : [...shellOf(rights), hook.command];
    const input = { stdin: isNotify ? '' : facts, timeoutMs, signal };
    return unlessAsync(context, { bound, payload, reading: {} }, async (more) =>
      judge(await runConfined(rights, [...words, ...(isNotify ? [facts] : [])], { ...input, ...more })),
    );
  }
  const shell = {
    command:
      hook.command === undefined ? [...argv, ...(isNotify ? [facts] : [])] : substituted(hook.command, variables, /\W/),
    cwd: dialect.folder(hook, site, bound.level, bound.projectFolder),
    env: {
      ...process.env,
      ...dialect.environment(site, bound.projectFolder),
      ...variables,
      ...(spec.hasEnvFile === true && context.envFile !== undefined && { CLAUDE_ENV_FILE: context.envFile }),
    },
    stdin: isNotify ? '' : facts,
    timeoutMs,
    signal,
  };
  return unlessAsync(context, { bound, payload, reading: {} }, async (more) =>
    judge(await runShellCommand({ ...shell, ...more })),
  );
}

/** Waits for a command, unless it says that nobody should: then `meanwhile` is all that it says for now. */
async function unlessAsync(
  { background }: RunContext,
  meanwhile: HookRun,
  start: (more: Pick<ShellCommand, 'onAsync'>) => Promise<HookRun>,
): Promise<HookRun> {
  if (!background) return start({});
  let letGo: () => void = () => undefined;
  const isAsync = new Promise<true>((resolve) => (letGo = () => resolve(true)));
  const whole = start({ onAsync: letGo });
  const first = await Promise.race([whole, isAsync]);
  if (first !== true) return first;
  background(whole);
  return meanwhile;
}

/** The variables of the bundle that brings a hook, with a folder for its data. */
async function variablesOf({ hook, bundle }: BoundHook, pluginData: string): Promise<Readonly<Record<string, string>>> {
  const { variables = {} } = hook;
  const root = variables['CLAUDE_PLUGIN_ROOT'];
  if (root === undefined) return variables;
  const name = (bundle ?? basename(root)).replaceAll(/[^\w-]/g, '-');
  const data = join(pluginData, name);
  await mkdir(data, { recursive: true, mode: 0o700 });
  return { ...variables, CLAUDE_PLUGIN_DATA: data };
}

function usesOf(rights: PackRights | undefined): Pick<HookRun, 'uses'> {
  return rights ? { uses: rights.permissions.uses ?? [] } : {};
}

/** The shell that a pack may run; most hooks are written for bash. */
function shellOf({ permissions: { exec = [] } }: PackRights): readonly string[] {
  return exec.includes('bash') ? BASH_LINE : ['sh', '-c'];
}

/** A command of a pack runs where the pack does. */
async function runConfined(
  rights: PackRights,
  argv: readonly string[],
  input: Pick<ShellCommand, 'stdin' | 'timeoutMs' | 'signal' | 'onAsync'>,
): Promise<ShellEnd> {
  let launch: Launch;
  try {
    launch = await rights.launch({ argv });
  } catch (fault) {
    return {
      outcome: 'not-started',
      reason: messageOf(fault).replace(/\.$/, ''),
      stdout: '',
      stderr: '',
      isCut: false,
      durationMs: 0,
    };
  }
  try {
    const { file, args, env, cwd } = launch;
    return await runShellCommand({ command: [file, ...args], cwd, env, ...input });
  } finally {
    launch.cleanup();
  }
}

function timeoutOf({ hook, spec }: BoundHook, standard: number): number {
  const own = hook.timeoutMs !== undefined && hook.timeoutMs > 0 ? hook.timeoutMs : undefined;
  if (own !== undefined) return Math.min(own, MAX_TIMEOUT_MS);
  if (hook.type === 'prompt') return PROMPT_TIMEOUT_MS;
  return spec.moment === 'session-end' ? Math.min(standard, SESSION_END_TIMEOUT_MS) : standard;
}

/** Puts in the variables whose names fit. Names that a shell can expand are left to it where there is one: it knows about quotes. */
function substituted(text: string, variables: Readonly<Record<string, string>>, names: RegExp): string {
  return text.replace(/\$\{([^}]+)\}/g, (whole, name: string) =>
    names.test(name) && Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
  );
}
