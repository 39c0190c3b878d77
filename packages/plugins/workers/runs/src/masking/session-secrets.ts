/** Which secrets a session has: what its environment and its account give it, and the login of its CLI. */
import { isSecretVariable } from '@tenon/sandbox/api';
import type { WorkerAdapter } from '@tenon/workers/api';
import { keptEnvironment } from '../keeper/environment.ts';
import { runFolder } from '../keeper/places.ts';
import { keptKeys } from '../keeper/run-keys.ts';
import type { RunsParts } from '../parts.ts';
import type { Run, RunSession } from '../run.ts';
import { SecretMask } from './mask.ts';

/** The mask of a session; whoever reads its output makes the same one, also after the process that started it has ended. */
export async function sessionMask(
  parts: RunsParts,
  run: Run,
  { account }: Pick<RunSession, 'account'>,
  { spec }: WorkerAdapter,
): Promise<SecretMask> {
  const own = { ...parts.env, ...(await keptKeys(parts, run)) };
  const keys = account === undefined ? spec.keyVariables.flatMap((name) => own[name] ?? []) : [];
  const named = Object.entries(run.request.env ?? {}).flatMap(([name, value]) =>
    isSecretVariable(name, value) ? [value] : [],
  );
  const env = await keptEnvironment(runFolder(parts.folders.state, run.id), parts.env);
  const logins = await (
    await parts.accounts()
  )?.secrets({ worker: spec.id, env, ...(account !== undefined && { account }) });
  // A variable with a path (GOOGLE_APPLICATION_CREDENTIALS) is none.
  return new SecretMask([...keys, ...named, ...(logins ?? [])].filter((value) => !/^[/~.]/.test(value)));
}
