/** Runs of workers, for those who start and steer them. All of it goes through the store; the keeper does the work. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { fitOptions, type WorkerSpec } from '@tenon/workers/api';
import { didYouMean } from '@tenon/wording';
import { newAlias } from './alias.ts';
import type { AppliedRun, HijackTarget, RunDetails, RunDiff, RunFilter, Runs } from './api.ts';
import { errors } from './errors.ts';
import { type FollowOptions, followRun } from './follow.ts';
import { keepEnvironment } from './keeper/environment.ts';
import { over } from './keeper/finish-session.ts';
import { forgetKeys, keepKeys } from './keeper/run-keys.ts';
import { collectPlaces, removeWorktree } from './keeper/leftovers.ts';
import { runFolder } from './keeper/places.ts';
import type { RunsParts } from './parts.ts';
import { ENDED_STATES, type Run, type RunNews, type RunRequest, type RunState } from './run.ts';
import type { RunChange } from './store/run-store.ts';

/** States in which a worker may be at work, or is about to be. */
const WORKING: readonly RunState[] = ['queued', 'starting', 'running', 'validating'];
const NOTHING_USED = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** The service. */
export class RunsService implements Runs {
  readonly #parts: RunsParts;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  async start(given: RunRequest): Promise<Run> {
    const registry = await this.#parts.registry();
    const adapter = given.worker === undefined ? await registry.preferred() : await registry.find(given.worker);
    const asked = given.options ? { ...given, options: fitOptions(adapter.spec, given.options) } : given;
    if ((asked.offerTools ?? false) !== false && adapter.spec.capabilities.mcp === 'none')
      throw errors.create('RUNS_FLAG', {
        flag: 'offer-tools',
        value: '',
        reason: `${adapter.spec.name} takes no MCP servers`,
      });
    const store = await this.#parts.store();
    const { key } = asked;
    const begunBefore = key === undefined ? undefined : await store.get(key);
    if (begunBefore) return begunBefore;
    const { queue } = this.#parts;
    const request = queue ? await queue.prepare(asked, adapter.spec) : asked;
    for (let tries = 0; ; tries++) {
      const begun = key === undefined ? undefined : await store.get(key);
      if (begun) return begun;
      const run: Run = {
        id: key ?? `${Date.now().toString(36)}${randomBytes(5).toString('hex')}`,
        alias: newAlias(tries),
        request,
        worker: adapter.spec.id,
        state: 'queued',
        next: { reason: 'start' },
        folder: request.cwd,
        session: 0,
        attempt: 1,
        created: new Date().toISOString(),
        usage: NOTHING_USED,
        sandbox: request.sandbox === 'off' ? 'off: the request says so' : 'not started yet',
      };
      let isAdded = false;
      try {
        // Before the record: as soon as that is there, a keeper may start the run.
        await this.#keepSurroundings(run, adapter.spec);
        isAdded = await store.add(run);
      } finally {
        // Its keys and variables are nobody's.
        if (!isAdded) {
          await forgetKeys(this.#parts, run.id);
          await rm(runFolder(this.#parts.folders.state, run.id), { recursive: true, force: true });
        }
      }
      if (!isAdded) continue;
      await this.#parts.ensureKeeper();
      return run;
    }
  }

  async find(name: string): Promise<Run> {
    const all = await (await this.#parts.store()).list();
    const exact = all.find(({ id, alias }) => id === name || alias === name);
    if (exact) return exact;
    const begun = all.filter(({ id, alias }) => name !== '' && (id.startsWith(name) || alias.startsWith(name)));
    const [only] = begun;
    if (only !== undefined && begun.length === 1) return only;
    const hint =
      begun.length > 1
        ? ` It may be ${begun.map(({ alias }) => alias).join(', ')}.`
        : didYouMean(
            name,
            all.map(({ alias }) => alias),
          );
    throw errors.create('RUNS_UNKNOWN', { name, hint });
  }

  async details(run: Run): Promise<RunDetails> {
    const store = await this.#parts.store();
    const [now, sessions, questions] = await Promise.all([
      store.get(run.id),
      store.sessions(run.id),
      store.questions(run.id),
    ]);
    return { run: now ?? run, sessions, questions };
  }

  async list({ states, cwd, limit }: RunFilter = {}): Promise<readonly Run[]> {
    const store = await this.#parts.store();
    const isHere = ({ folder, request }: Run) =>
      cwd === undefined || [folder, request.cwd].some((place) => isInside(place, cwd) || isInside(cwd, place));
    const found = (await store.list(states && { states })).filter(isHere);
    // A keeper that was killed is followed by another as soon as somebody looks: no run is shown as active that nobody keeps.
    if (found.some(({ state }) => WORKING.includes(state)))
      await this.#parts
        .ensureKeeper()
        .catch((fault: unknown) => this.#parts.log.warn(`no keeper could be started: ${messageOf(fault)}`));
    return limit === undefined ? found : found.slice(0, limit);
  }

  async *follow(run: Run, options: FollowOptions): AsyncGenerator<RunNews> {
    yield* followRun(await this.#parts.store(), run.id, () => this.#parts.ensureKeeper(), options);
  }

  async answer(run: Run, answers: Readonly<Record<string, string>>): Promise<Run> {
    const store = await this.#parts.store();
    const now = await this.#require(run, ['waiting'], 'answer', 'Send it a message: tenon runs send.');
    const asked = await store.questions(run.id);
    const open = asked.filter(({ answer }) => answer === undefined);
    const unknown = Object.keys(answers).find((id) => !open.some((question) => question.id === id));
    if (unknown !== undefined)
      throw errors.create('RUNS_NO_QUESTION', {
        alias: now.alias,
        question: unknown,
        hint: didYouMean(
          unknown,
          open.map(({ id }) => id),
        ),
      });
    if (asked.length === 0 || (await store.answer(run.id, answers)) > 0) return now;
    return this.#goOn(now, { run: { state: 'queued', next: { reason: 'answer' } }, from: ['waiting'] });
  }

  async send(run: Run, text: string): Promise<Run> {
    const store = await this.#parts.store();
    const now = await this.#require(
      run,
      [...WORKING, 'waiting', 'done'],
      'send a message to',
      'Run `tenon runs retry` first.',
    );
    const { number } = await store.addMessage(run.id, text);
    if (WORKING.includes(now.state)) return now;
    const waiting = (await store.questions(run.id)).some(({ answer }) => answer === undefined);
    // An open question comes first; the message follows its answer.
    if (now.state === 'waiting' && waiting) return now;
    const first = (await store.messages(run.id)).find(({ state }) => state === 'queued')?.number ?? number;
    const next = { reason: 'message' as const, message: first };
    return this.#goOn(now, { run: { state: 'queued', next }, sent: first, from: ['waiting', 'done'] });
  }

  async retry(run: Run): Promise<Run> {
    const now = await this.#require(run, ['failed', 'cancelled', 'done'], 'retry', 'Wait for it, or cancel it first.');
    const next = {
      reason: 'retry' as const,
      isFresh: now.error?.fault === 'context' || now.error?.fault === 'session-unknown',
    };
    return this.#goOn(now, {
      run: {
        state: 'queued',
        attempt: now.attempt + 1,
        failedAccounts: undefined,
        next: now.session === 0 ? { reason: 'start' } : next,
      },
      from: ENDED_STATES,
    });
  }

  async cancel(run: Run): Promise<Run> {
    const store = await this.#parts.store();
    const now = await this.#require(run, [...WORKING, 'waiting', 'hijacked'], 'cancel', 'There is nothing to stop.');
    const messages = (await store.messages(run.id)).filter(({ state }) => state === 'queued');
    const stopped = await this.#change(now, {
      ...over('cancelled', messages),
      from: ['queued', 'waiting', 'hijacked'],
    });
    if (stopped) return stopped;
    await store.wish(run.id, 'cancel');
    await this.#parts.ensureKeeper();
    return now;
  }

  async remove(
    run: Run,
    { force = false }: { readonly force?: boolean } = {},
  ): Promise<{ readonly kept: readonly string[] }> {
    const now = await this.#require(run, ENDED_STATES, 'remove', 'Cancel it first: tenon runs cancel.');
    // The record goes first, if nobody has begun the run again meanwhile: its worktree would be taken from under the worker.
    const isGone = await (await this.#parts.store()).remove(run.id, { output: force, from: ENDED_STATES });
    if (!isGone) return this.remove(run, { force });
    const kept = await removeWorktree(this.#parts, now, force);
    await forgetKeys(this.#parts, run.id);
    await rm(runFolder(this.#parts.folders.state, run.id), { recursive: true, force: true });
    return { kept };
  }

  collect(options: { readonly dryRun: boolean }) {
    return collectPlaces(this.#parts, options);
  }

  async diff(run: Run): Promise<RunDiff | undefined> {
    const { diffRun } = await import('./apply/diff.ts');
    return diffRun(this.#parts, (await this.details(run)).run);
  }

  async apply(run: Run): Promise<AppliedRun> {
    const { applyRun } = await import('./apply/apply.ts');
    return applyRun(this.#parts, (await this.details(run)).run);
  }

  async hijack(run: Run, options: { readonly signal: AbortSignal }): Promise<HijackTarget> {
    this.#mustBeHere(run, 'hijack');
    const { hijackRun } = await import('./hijack/hijack.ts');
    return hijackRun(this.#parts, (await this.details(run)).run, options);
  }

  async candidate(run: Run): Promise<HijackTarget> {
    this.#mustBeHere(run, 'hijack');
    const { hijackTarget } = await import('./hijack/hijack.ts');
    return hijackTarget(this.#parts, (await this.details(run)).run);
  }

  async release(run: Run, exitCode: number): Promise<Run> {
    const states: readonly RunState[] = ['hijacked', 'waiting', ...ENDED_STATES];
    const now = await this.#require(run, states, 'release', 'It was not taken over.');
    // One that was at rest when its session was opened rests again: nothing was interrupted that would have to go on.
    if (exitCode !== 0 || now.state !== 'hijacked') return now;
    return this.#goOn(now, { run: { state: 'queued', next: { reason: 'release' } }, from: ['hijacked'] });
  }

  async #goOn(run: Run, change: RunChange): Promise<Run> {
    await this.#keepSurroundings(run, (await (await this.#parts.registry()).find(run.worker)).spec);
    const events = [{ type: 'state' as const, state: 'queued' as const }];
    const changed = await this.#change(run, {
      ...change,
      run: { ...change.run, ended: undefined, error: undefined },
      events,
    });
    await this.#parts.ensureKeeper();
    return changed ?? (await this.details(run)).run;
  }

  /** What the worker needs of who asks: keys always, variables only on the same machine. */
  async #keepSurroundings({ id }: Run, spec: Pick<WorkerSpec, 'keyVariables'>): Promise<void> {
    if (!this.#parts.queue) await keepEnvironment(runFolder(this.#parts.folders.state, id), this.#parts.env);
    await keepKeys(this.#parts, id, spec);
  }

  #mustBeHere({ alias, host }: Run, wish: string): void {
    if (this.#parts.queue) throw errors.create('RUNS_ELSEWHERE', { alias, host: host ?? 'none yet', wish });
  }

  async #change(run: Run, change: RunChange): Promise<Run | undefined> {
    const stored = await (await this.#parts.store()).change(run.id, change);
    if (stored) await this.#parts.tell({ outputs: [], events: stored.events });
    return stored?.run;
  }

  async #require(run: Run, states: readonly RunState[], wish: string, next: string): Promise<Run> {
    const now = await (await this.#parts.store()).get(run.id);
    if (now === undefined) throw errors.create('RUNS_UNKNOWN', { name: run.alias, hint: '' });
    if (!states.includes(now.state))
      throw errors.create('RUNS_STATE', { alias: now.alias, state: now.state, wish, next });
    return now;
  }
}
