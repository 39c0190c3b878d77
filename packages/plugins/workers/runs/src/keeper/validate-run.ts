/** Builds and tests what a run has changed; the result is part of the run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@tenon/kernel';
import type { Validation, ValidationResult } from '@tenon/validation/api';
import type { SecretMask } from '../masking/mask.ts';
import { sessionMask } from '../masking/session-secrets.ts';
import type { RunsParts } from '../parts.ts';
import { ENDED_STATES, type Run } from '../run.ts';
import type { RunStore } from '../store/run-store.ts';
import { checkoutAround } from './checkout.ts';
import { over, rest } from './finish-session.ts';
import { RUN_VARIABLE } from './launcher.ts';
import { leaveUntouched } from './leftovers.ts';
import { forgetKeys } from './run-keys.ts';

/** How often output is stored while the steps run. */
const FLUSH_MS = 100;

/** Validates a run that is done, then lets it go on. */
export async function validateRun(parts: RunsParts, store: RunStore, run: Run, signal: AbortSignal): Promise<void> {
  const service = await parts.validation();
  const result =
    service && (await hasChanges(parts, run)) ? await validate(parts, store, service, run, signal) : undefined;
  const messages = (await store.messages(run.id)).filter(({ state }) => state === 'queued');
  const isCancelled = result?.state === 'cancelled';
  // Not cancelled by anybody: this process ends, and the next one validates again.
  if (isCancelled && !(await store.wishes()).some((entry) => entry.run === run.id && entry.wish === 'cancel')) return;
  const after = isCancelled ? over('cancelled', messages) : rest(run, messages[0]?.number);
  const tidied = after.run.state === 'done' ? await leaveUntouched(parts, run) : {};
  const changed = await store.change(run.id, {
    ...after,
    run: { ...after.run, ...tidied, ...(result && { validation: result }) },
    events: [...(result ? [{ type: 'validation' as const, state: result.state }] : []), ...(after.events ?? [])],
    ...(isCancelled && { fulfils: ['cancel' as const] }),
    from: ['validating'],
  });
  if (changed) await parts.tell({ outputs: [], events: changed.events });
  if (changed && ENDED_STATES.includes(changed.run.state)) await forgetKeys(parts, run.id);
}

/** Whether the worker has done anything in its worktree. In a checkout of the user only the plan can tell. */
async function hasChanges(parts: RunsParts, { worktree }: Run): Promise<boolean> {
  if (worktree === undefined) return true;
  const service = await parts.worktrees();
  const made = (await service?.list())?.find(({ folder }) => folder === worktree.folder);
  return service === undefined || made === undefined || !(await service.status(made)).isUntouched;
}

async function validate(
  parts: RunsParts,
  store: RunStore,
  service: Validation,
  run: Run,
  signal: AbortSignal,
): Promise<ValidationResult | undefined> {
  const adapter = await (await parts.registry()).find(run.worker);
  // Tests print what the worker may have written into files.
  const mask = await sessionMask(parts, run, run, adapter);
  const writer = new OutputWriter(parts, store, run, mask);
  try {
    const base = run.worktree?.base;
    // The settings know the project by the checkout that the run came from.
    const names = run.worktree === undefined ? [] : [checkoutAround(run.request.cwd) ?? run.request.cwd];
    const plan = await service.plan({ cwd: run.folder, names, ...(base !== undefined && { base }) });
    if (plan.steps.length === 0) return { state: 'skipped', plan, steps: [] };
    const off = run.request.sandbox === 'off' && { sandbox: 'off' as const };
    const env = { [RUN_VARIABLE]: `${run.id}:${run.session}` };
    return mask.value(await service.run(plan, { signal, env, output: (text) => writer.add(text), ...off }));
  } catch (fault) {
    // The worker's work is done; that nothing could check it does not undo it.
    const message = `The validation could not be made: ${messageOf(fault)}`;
    const changed = await store.change(run.id, { run: {}, events: [{ type: 'notice', message }] });
    if (changed) await parts.tell({ outputs: [], events: changed.events });
    return undefined;
  } finally {
    await writer.flush();
  }
}

/** Stores what the steps write, a few times a second. */
class OutputWriter {
  readonly #parts: RunsParts;
  readonly #store: RunStore;
  readonly #run: Run;
  readonly #mask: SecretMask;
  #text = '';
  #writing: Promise<unknown> | undefined;
  #fault: unknown;

  constructor(parts: RunsParts, store: RunStore, run: Run, mask: SecretMask) {
    this.#mask = mask;
    this.#parts = parts;
    this.#store = store;
    this.#run = run;
  }

  add(text: string): void {
    this.#text += text;
    this.#writing ??= sleep(FLUSH_MS)
      .then(() => this.#write())
      .catch((fault: unknown) => (this.#fault = fault))
      .finally(() => (this.#writing = undefined));
  }

  /** Throws what kept the output from being stored. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#fault !== undefined) throw this.#fault;
    await this.#write(true);
  }

  async #write(isEnd = false): Promise<void> {
    const length = isEnd ? this.#text.length : this.#mask.wholeLength(this.#text);
    const text = this.#mask.text(this.#text.slice(0, length));
    this.#text = this.#text.slice(length);
    if (text === '') return;
    const { id, session } = this.#run;
    const offsets = (await this.#store.sessions(id)).find(({ number }) => number === session)?.offsets;
    if (offsets === undefined) return;
    const outputs = [{ stream: 'validation' as const, text }];
    const [taken] = await this.#store.take([{ run: id, session, outputs, events: [], from: offsets, offsets }]);
    if (taken) await this.#parts.tell(taken);
  }
}
