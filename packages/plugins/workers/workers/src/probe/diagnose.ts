/** Looks beside a run whether its CLI is there. */
import type { DiagnosticReport, WorkerAdapter } from '../api.ts';
import { locateWorker } from '../locate.ts';

/** What was found. */
export async function diagnose(
  adapter: WorkerAdapter,
  env: NodeJS.ProcessEnv,
  _signal: AbortSignal,
): Promise<DiagnosticReport> {
  const { id, name, program, install } = adapter.spec;
  const path = await locateWorker(adapter, env['PATH']);
  const missing = `The program ${program} is not in PATH.${install === undefined ? '' : ` Install ${name} with \`${install}\`.`}`;
  return {
    worker: id,
    at: new Date().toISOString(),
    checks: [
      path === undefined
        ? { id: 'cli-installed', status: 'fail', message: missing }
        : { id: 'cli-installed', status: 'pass', message: `${name} is at ${path}.`, detail: { path } },
    ],
  };
}
