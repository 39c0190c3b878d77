/** Looks beside a run whether its CLI is there, its key valid, and how much of the rate limit is left. */
import type { DiagnosticCheck, DiagnosticReport, WorkerAdapter } from '../api.ts';
import { locateWorker } from '../locate.ts';
import { checkKey } from './key.ts';
import { programVersion } from './version.ts';

/** How a probe may be narrowed. */
export interface ProbeOptions {
  /** Asks no provider. */
  readonly offline?: boolean;
}

/** What was found. */
export async function diagnose(
  adapter: WorkerAdapter,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  { offline = false }: ProbeOptions = {},
): Promise<DiagnosticReport> {
  const [installed, online] = await Promise.all([
    checkInstalled(adapter, env, signal),
    checkKey(adapter.spec, env, signal, offline),
  ]);
  return { worker: adapter.spec.id, at: new Date().toISOString(), checks: [installed, ...online] };
}

async function checkInstalled(
  adapter: WorkerAdapter,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<DiagnosticCheck> {
  const id = 'cli-installed';
  const { name, program, install } = adapter.spec;
  const path = await locateWorker(adapter, env['PATH']);
  if (path === undefined) {
    const next = install === undefined ? '' : ` Install ${name} with \`${install}\`.`;
    return { id, status: 'fail', message: `The program ${program} is not in PATH.${next}` };
  }
  const words = adapter.start?.() ?? [path];
  const found = await programVersion(words, adapter.spec.versionArgs, env, signal);
  if ('version' in found)
    return { id, status: 'pass', message: `${name} ${found.version} is at ${path}.`, detail: { path, ...found } };
  const message = `${name} is at ${path}, but ${found.problem}`;
  // One that is only slow to say its version may still work.
  return { id, status: found.isSlow ? 'pass' : 'fail', message, detail: { path } };
}
