/** Lets a person take over the session of a worker. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HijackTarget } from '../api.ts';
import { errors } from '../errors.ts';
import { scratchFolder } from '../keeper/places.ts';
import type { RunsParts } from '../parts.ts';
import { ENDED_STATES, type Run } from '../run.ts';
import { isSessionId } from '../session-id.ts';

const LOOK_MS = 100;

/** Stops the worker between two tool calls, if it is at work, and says how its session is opened. */
export async function hijackRun(
  parts: RunsParts,
  run: Run,
  { signal }: { readonly signal: AbortSignal },
): Promise<HijackTarget> {
  const store = await parts.store();
  let now = run;
  const isStill = () => now.state === 'hijacked' || now.state === 'waiting' || ENDED_STATES.includes(now.state);
  if (!isStill()) await store.wish(run.id, 'hijack');
  while (!isStill()) {
    await parts.ensureKeeper();
    await sleep(LOOK_MS, undefined, { signal });
    now = (await store.get(run.id)) ?? now;
  }
  return hijackTarget(parts, now);
}

/** How the session of a run is opened, as far as it is known now. Nothing is stopped. */
export async function hijackTarget(parts: RunsParts, run: Run): Promise<HijackTarget> {
  const { alias, worker, folder: cwd, cliSession: session, request } = run;
  const registry = await parts.registry();
  const adapter = await registry.find(worker);
  const scratch = scratchFolder(parts.folders.state, run.id, run.session);
  const place = { cwd, scratch, ...(request.model !== undefined && { model: request.model }) };
  const isOpen = session !== undefined && isSessionId(session);
  const command = isOpen ? adapter.interactive?.(session, place) : undefined;
  if (session === undefined || command === undefined)
    throw errors.create('RUNS_NO_SESSION', { alias, worker: adapter.spec.name });
  const program = (await registry.locate(adapter)) ?? command.program;
  const env = { ...adapter.spec.env, ...command.env, ...(await accountEnvironment(parts, run)) };
  const word = command.program === adapter.spec.program ? program : command.program;
  return { run, worker, session, cwd, argv: [word, ...command.args], env };
}

/** The session belongs to the account that the run has worked with last. */
async function accountEnvironment(
  parts: RunsParts,
  { account: id, worker }: Run,
): Promise<Readonly<Record<string, string>>> {
  if (id === undefined) return {};
  const service = await parts.accounts();
  const account = (await service?.list())?.find((entry) => entry.id === id);
  if (!service || !account) return {};
  return (await service.inject(account, { worker, signal: new AbortController().signal })).env;
}
