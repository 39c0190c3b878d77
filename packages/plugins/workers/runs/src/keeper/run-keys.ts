/**
 * Keys from the environment of whoever asked for a run. The keeper may have been started from another terminal, so they are kept
 * for it until the run has ended: encrypted, as the credentials of models are.
 */
import { messageOf } from '@tenon/kernel';
import type { WorkerSpec } from '@tenon/workers/api';
import type { RunsParts } from '../parts.ts';

const nameOf = (run: string) => `run ${run}`;

/** Keeps the keys of a worker's own vendor, if there are any. */
export async function keepKeys(
  parts: RunsParts,
  run: string,
  { keyVariables }: Pick<WorkerSpec, 'keyVariables'>,
): Promise<void> {
  const keys = Object.fromEntries(
    keyVariables.flatMap((name) => (parts.env[name] ? [[name, parts.env[name]] as const] : [])),
  );
  if (Object.keys(keys).length === 0) return;
  try {
    await (await parts.secrets())?.changeSecret(nameOf(run), () => JSON.stringify(keys));
  } catch (fault) {
    // Where nothing can be kept, the keeper's own environment serves, which most often is the same.
    parts.log.warn('the keys of a run could not be kept', { run, reason: messageOf(fault) });
  }
}

/** The keys that were kept for a run. */
export async function keptKeys(parts: RunsParts, { id }: { readonly id: string }): Promise<Record<string, string>> {
  try {
    const text = await (await parts.secrets())?.secret(nameOf(id));
    return text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
  } catch (fault) {
    parts.log.warn('the keys of a run could not be read', { run: id, reason: messageOf(fault) });
    return {};
  }
}

/** Forgets them. */
export async function forgetKeys(parts: RunsParts, run: string): Promise<void> {
  try {
    const store = await parts.secrets();
    if ((await store?.secret(nameOf(run))) !== undefined) await store?.changeSecret(nameOf(run), () => undefined);
  } catch (fault) {
    parts.log.warn('the keys of a run could not be removed', { run, reason: messageOf(fault) });
  }
}
