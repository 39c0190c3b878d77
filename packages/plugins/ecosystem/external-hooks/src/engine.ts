/** Runs the hooks that an occasion concerns: all at once, each once, and only those that may run here. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { type AgentSession, liveAgents } from '@tenon/agent/api';
import { counted, shellWord } from '@tenon/wording';
import { discovery } from '@tenon/discovery/api';
import { type KernelAccess, type Logger, messageOf } from '@tenon/kernel';
import { type UserInterface, userInterface } from '@tenon/host';
import { packHosts, type PackRights } from '@tenon/pack-host/api';
import { workspaceTrust } from '@tenon/trust/api';
import type { Payload } from './dialects/dialect.ts';
import { dialects } from './dialects/index.ts';
import { type ForeignCall, ownInput } from './foreign-call.ts';
import { type BoundHook, type HookTable, labelOf, loadHooks, NO_HOOKS } from './hook-table.ts';
import { byFolder, mayRun, programOf } from './hook-trust.ts';
import { fitsRule, matches } from './matcher.ts';
import type { Moment, Occasion, HookSite, ToolFacts } from './occasion.ts';
import { merge, type Outcome, type Reading, SILENCE } from './outcome.ts';
import { type HookRun, type RunContext, runHook } from './run-hook.ts';
import { SessionState } from './session-state.ts';
import type { ExternalHooksSettings } from './generated/settings.ts';

/** What the engine works with. */
export interface EngineHost extends Pick<KernelAccess, 'find' | 'findOptional' | 'run'> {
  readonly config: ExternalHooksSettings;
  readonly log: Logger;
  /** Tenon's data folder. */
  readonly data: string;
  /** Aborts when the plugin is unloaded. */
  readonly signal: AbortSignal;
}

/** What hooks say about an occasion, and what each of them did. */
export interface HookAnswer extends Outcome {
  readonly runs: readonly HookRun[];
}

const NOTHING: HookAnswer = { ...SILENCE, runs: [] };
/** So many commands at the same time; more wait. */
const MAX_PARALLEL = 64;
/** A session's end waits so long for what runs in the background. */
const BACKGROUND_GRACE_MS = 5_000;
/** And so long for hooks that say themselves that nobody should wait for them. */
const ASYNC_GRACE_MS = 1_000;
/** The key of calls that belong to no session. */
const OUTSIDE = '';

/** The hooks of all sessions. */
export class HookEngine {
  readonly host: EngineHost;
  readonly #sessions = new Map<string, SessionState>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(host: EngineHost) {
    this.host = host;
  }

  /** What is known about a session; made on first sight. */
  state(session: string, cwd: string): SessionState {
    const existing = this.#sessions.get(session);
    if (existing) return existing;
    const state = new SessionState(cwd);
    this.#sessions.set(session, state);
    return state;
  }

  /** The session, if hooks were looked for. */
  known(session: string | undefined): SessionState | undefined {
    return session === undefined ? undefined : this.#sessions.get(session);
  }

  /** True when a hook of the session waits for one of these. */
  has(state: SessionState | undefined, ...moments: readonly Moment[]): boolean {
    return state !== undefined && moments.some((moment) => this.#usable(state, moment).length > 0);
  }

  /** Ends a session and what its hooks still do. */
  async forget(session: string): Promise<void> {
    const state = this.#sessions.get(session);
    this.#sessions.delete(session);
    await state?.close();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((session) => this.forget(session)));
  }

  /** Looks for the hooks of a session, once. */
  async ready(session: string, cwd: string): Promise<SessionState> {
    const state = this.state(session, cwd);
    // A look that failed must not be the answer for ever.
    state.ready ??= this.#load(session, state).catch((fault: unknown) => {
      state.ready = undefined;
      throw fault;
    });
    await state.ready;
    return state;
  }

  async #load(session: string, state: SessionState): Promise<void> {
    const table = await this.#find(state.cwd);
    state.table = table;
    state.isLoaded = true;
    await this.#judgeTrust(session, state, table.all, 'ensure');
    await this.#tellProblems(session, state, table);
  }

  async #find(cwd: string): Promise<HookTable> {
    if (!this.host.config.enabled) return NO_HOOKS;
    const finder = await this.host.findOptional(discovery);
    return finder ? loadHooks(finder, cwd, this.host.signal) : NO_HOOKS;
  }

  /**
   * Looks again, before a prompt. Hooks that have changed during the session run only when the user says so: otherwise an
   * agent that may write files could give itself commands that run outside of its sandbox, or take its guards away.
   */
  async refresh(session: string, cwd: string): Promise<void> {
    const state = await this.ready(session, cwd);
    const table = await this.#find(state.cwd);
    // Those that the session began with may go on, and trust in their folder may be gone.
    await this.#judgeTrust(session, state, allOf(state.table, table), 'state');
    if (table.fingerprint === state.table.fingerprint || table.fingerprint === state.refusedTable) return;
    const ui = await this.host.findOptional(userInterface);
    const what = changeText(state.table, table);
    if (ui?.canAsk() === true && (await ui.confirm('Hooks have changed', `${what} Use them as they are now?`))) {
      state.table = table;
      const trust = await this.host.findOptional(workspaceTrust);
      for (const [folder, own] of byFolder(table.all)) await trust?.accept(folder, own.map(programOf));
      return;
    }
    state.refusedTable = table.fingerprint;
    await this.notice(
      session,
      'warning',
      `${what} They count from the next session on; this one goes on with those it began with.`,
    );
  }

  /** Asks about each folder that brings hooks, or looks up what was said: trust in a folder says nothing about those above it. */
  async #judgeTrust(
    session: string,
    state: SessionState,
    hooks: readonly BoundHook[],
    how: 'ensure' | 'state',
  ): Promise<void> {
    const groups = byFolder(hooks);
    // Without the plugin nobody can be trusted.
    const trust = groups.size === 0 ? undefined : await this.host.findOptional(workspaceTrust);
    const trusted = new Set<string>();
    const refused: string[] = [];
    for (const [folder, own] of groups) {
      const files = [...new Set(own.map(({ file }) => file))].join(', ');
      const count = own.length === 1 ? 'a hook' : `${own.length} hooks`;
      const isTrusted =
        how === 'ensure'
          ? await trust?.ensure(folder, `run ${count} (${files})`)
          : (await trust?.stateOf(folder)) === 'trusted';
      if (isTrusted === true) {
        trusted.add(folder);
        // The bytes of what was trusted are remembered before anything can change them.
        await trust?.stateOf(folder, own.map(programOf));
      } else
        refused.push(
          `${folder} is not trusted, so ${count} of it will not run (${files}). Trust it with \`tenon trust add ${shellWord(folder)}\`.`,
        );
    }
    state.trusted = trusted;
    for (const text of refused) await this.once(session, state, text);
  }

  async #tellProblems(session: string, state: SessionState, table: HookTable): Promise<void> {
    const { idle, warnings, problems } = table;
    const ignored = idle.map(({ item, reason }) => `A hook in ${item.file} never runs: ${reason}.`);
    for (const text of [...ignored, ...warnings, ...problems.map(({ message }) => message)])
      await this.once(session, state, text);
  }

  #usable(state: SessionState, moment: Moment): readonly BoundHook[] {
    const bound = state.table.byMoment.get(moment) ?? [];
    return bound.filter((hook) => mayRun(hook, state.trusted));
  }

  /** Tells the hooks of a session, and gives what they say. Messages and warnings reach the user from here. */
  async tell(occasion: Occasion, session: string, cwd: string, signal?: AbortSignal): Promise<HookAnswer> {
    const state = await this.ready(session, cwd);
    const hooks = this.#usable(state, occasion.moment);
    if (hooks.length === 0) return NOTHING;
    const site = await this.#site(session, cwd);
    const limits = [this.host.signal, state.signal, ...(signal ? [signal] : [])];
    const answer = await this.runAll(hooks, occasion, site, {
      signal: AbortSignal.any(limits),
      background: (run) => state.inBackground(this.#hearLater(run, session, state), ASYNC_GRACE_MS),
      ...(hooks.some(({ spec }) => spec.hasEnvFile) && { envFile: await state.envFile() }),
    });
    for (const text of answer.messages) await this.notice(session, 'info', text);
    for (const text of answer.warnings) await this.once(session, state, text);
    return answer;
  }

  /** What a hook says that nobody waited for: it decides nothing any more, but the user and the model still hear of it. */
  async #hearLater(work: Promise<HookRun>, session: string, state: SessionState): Promise<void> {
    const { message, warning, context } = (await work).reading;
    if (message !== undefined) await this.notice(session, 'info', message);
    if (warning !== undefined) await this.once(session, state, warning);
    if (context !== undefined) state.pending.push(context);
  }

  /** Tells them without waiting. What happened first is told first: the hooks of a moment end before they hear of the next one. */
  fire(occasion: Occasion, session: string, cwd: string): void {
    const state = this.known(session);
    if (!state || !this.has(state, occasion.moment)) return;
    const failed = (fault: unknown) => this.host.log.error(`hooks could not be told: ${messageOf(fault)}`);
    state.inTurn(occasion.moment, () => this.tell(occasion, session, cwd).catch(failed), BACKGROUND_GRACE_MS);
  }

  /** Runs those of some hooks that an occasion concerns. */
  async runAll(
    hooks: readonly BoundHook[],
    occasion: Occasion,
    site: HookSite,
    options: { readonly signal: AbortSignal; readonly envFile?: string; background?(run: Promise<HookRun>): void },
  ): Promise<HookAnswer> {
    const { signal, envFile, background } = options;
    const context = {
      kernel: this.host,
      site,
      timeoutMs: this.host.config.timeoutSeconds * 1000,
      signal,
      rights: (pack: string) => this.#rights(pack),
      pluginData: join(this.host.data, 'plugin-data'),
      ...(background && { background: (run: Promise<HookRun>) => background(run.then(tightened)) }),
      ...(envFile !== undefined && { envFile }),
    };
    // Every hook that runs listens to it.
    setMaxListeners(0, signal);
    const concerned = new Map<string, { readonly bound: BoundHook; readonly payload: Payload }>();
    const work: Promise<HookRun>[] = [];
    const asTrusted = new Map<BoundHook, Promise<boolean>>();
    const mayStart = (bound: BoundHook) => {
      const known = asTrusted.get(bound) ?? this.#isAsTrusted(bound, site);
      asTrusted.set(bound, known);
      return known;
    };
    for (const bound of hooks) {
      for (const payload of bound.spec.payloads(occasion, site)) {
        if (!concerns(bound, payload, site) || !(await mayStart(bound))) continue;
        const key = `${bound.identity} ${JSON.stringify(payload.fields)}`;
        // Of the same command the user's own counts: what it says weighs more.
        const same = concerned.get(key);
        if (!same || (same.bound.level !== 'user' && bound.level === 'user')) concerned.set(key, { bound, payload });
      }
    }
    for (const { bound, payload } of concerned.values()) {
      const run = this.#slot(async () => tightened(await this.#run(bound, payload, context)));
      if (bound.hook.isAsync === true && background) background(run);
      else work.push(run);
    }
    const runs = await Promise.all(work);
    const answer = { ...merge(runs.map(limited(occasion))), runs };
    if (answer.decision !== 'allow' || isAllowedAsWhole(runs, occasion, site)) return answer;
    const { decision: _decision, reason: _reason, ...rest } = answer;
    return rest;
  }

  async #run(bound: BoundHook, payload: Payload, context: RunContext): Promise<HookRun> {
    try {
      return await runHook(bound, payload, context);
    } catch (fault) {
      // Only what a pack lacks is thrown; its guard must not be the one that lets something through.
      const warning = `${labelOf(bound)} of the pack "${bound.pack}" did not run: ${messageOf(fault)}`;
      return { bound, payload, reading: { warning, decision: 'deny', reason: warning } };
    }
  }

  async #rights(pack: string): Promise<PackRights> {
    const rights = (await this.host.findOptional(packHosts))?.rightsOf(pack);
    if (rights) return rights;
    throw new Error('the pack does not run');
  }

  /** Right before a start: a hook of a project is still what the user trusted, or they agree to what it is now. */
  async #isAsTrusted(bound: BoundHook, { session, cwd }: HookSite): Promise<boolean> {
    const { trustFolder: folder } = bound;
    const trust = folder === undefined ? undefined : await this.host.findOptional(workspaceTrust);
    if (folder === undefined || !trust) return true;
    const programs = [programOf(bound)];
    if (await trust.ensure(folder, 'run a hook that has changed', programs)) return true;
    const changes = await trust.changesIn(folder, programs);
    const what = changes.length > 0 ? changes.join('; ') : `${folder} is not trusted`;
    const text = `${labelOf(bound)} did not run: ${what}. Look at it; then trust it with \`tenon trust add ${shellWord(folder)}\`.`;
    await this.once(session, this.state(session, cwd), text);
    return false;
  }

  async #slot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_PARALLEL) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #site(session: string, cwd: string): Promise<HookSite> {
    const agent = await this.agent(session);
    const file = agent?.session.file;
    const model = agent && `${agent.state.model.provider}/${agent.state.model.id}`;
    return { session, cwd, ...(file !== undefined && { transcript: file }), ...(model !== undefined && { model }) };
  }

  /** The agent of a session. */
  async agent(session: string): Promise<AgentSession | undefined> {
    return session === OUTSIDE ? undefined : (await this.host.findOptional(liveAgents))?.get(session);
  }

  /** Whoever can be asked. */
  userInterface(): Promise<UserInterface | undefined> {
    return this.host.findOptional(userInterface);
  }

  /** Stops the agent, because a hook wants that. */
  async stop(session: string, reason: string): Promise<void> {
    await this.notice(
      session,
      'warning',
      reason === '' ? 'A hook stopped the agent.' : `A hook stopped the agent: ${reason}`,
    );
    // Not awaited: the run that has to end is the one that waits for this hook.
    void (await this.agent(session))?.abort();
  }

  /** Tells the user. */
  async notice(session: string, level: 'info' | 'warning', text: string): Promise<void> {
    const agent = await this.agent(session);
    if (agent) agent.emit({ type: 'notice', level, text });
    else this.host.log[level === 'info' ? 'info' : 'warn'](text);
  }

  /** Tells the user, unless this session has told it already. */
  async once(session: string, state: SessionState, text: string): Promise<void> {
    if (state.said.has(text)) return;
    state.said.add(text);
    await this.notice(session, 'warning', text);
  }
}

function concerns({ hook }: BoundHook, { subjects, call }: Payload, { cwd }: HookSite): boolean {
  if (subjects && !matches(hook.matcher, subjects, dialects[hook.dialect].matchers)) return false;
  return hook.condition === undefined || call === undefined || fitsRule(hook.condition, call, cwd);
}

/**
 * What a hook says counts as far as whoever wrote it may decide: only the user's own hooks can let a call through that
 * somebody would be asked about. Packs, whose authors are strangers, change nothing that they were not granted.
 */
export function tightened(run: HookRun): HookRun {
  const { bound, reading } = run;
  if (bound.level === 'user') return run;
  const { decision, reason: _reason, ...rest } = reading;
  const kept = decision === 'allow' ? rest : reading;
  if (bound.pack === undefined) return { ...run, reading: kept };
  const { env: _env, updatedInput, updatedOutput, ...own } = kept;
  const uses = new Set(run.uses);
  return {
    ...run,
    reading: {
      ...own,
      ...(updatedInput && uses.has('tool.input') && { updatedInput }),
      ...(updatedOutput !== undefined && uses.has('tool.result') && { updatedOutput }),
    },
  };
}

/** A call that touches several files is put to hooks once for each; "allow" for one of them is none for the others. */
function isAllowedAsWhole(runs: readonly HookRun[], occasion: Occasion, site: HookSite): boolean {
  const keyOf = ({ hook }: BoundHook, { fields }: Payload) => JSON.stringify([hook.dialect, hook.event, fields]);
  const allowing = runs.filter(({ reading }) => reading.decision === 'allow');
  const allowed = new Set(allowing.map(({ bound, payload }) => keyOf(bound, payload)));
  return allowing.some(({ bound }) =>
    bound.spec.payloads(occasion, site).every((payload) => allowed.has(keyOf(bound, payload))),
  );
}

/** Cursor limits how often a hook may make the agent go on. */
const CURSOR_LOOPS = 5;

function limited(occasion: Occasion): (run: HookRun) => Reading {
  return ({ bound: { hook }, reading }) => {
    if (occasion.moment !== 'stop' || reading.decision !== 'deny') return reading;
    const limit = hook.loopLimit === undefined && hook.dialect === 'cursor' ? CURSOR_LOOPS : hook.loopLimit;
    if (limit === undefined || limit === null || occasion.continues < limit) return reading;
    const { decision: _decision, reason: _reason, ...rest } = reading;
    return {
      ...rest,
      warning: `${labelOf({ hook })} made the agent go on ${counted(limit, 'time')}, which is its limit.`,
    };
  };
}

/** The hooks of both, each once. */
function allOf(before: HookTable, after: HookTable): readonly BoundHook[] {
  if (before.fingerprint === after.fingerprint) return after.all;
  const each = [...before.all, ...after.all].map((bound) => [JSON.stringify([bound.file, bound.hook]), bound] as const);
  return [...new Map(each).values()];
}

function changeText(before: HookTable, after: HookTable): string {
  const lines = (table: HookTable) => new Map(table.all.map((bound) => [JSON.stringify(bound.hook), bound]));
  const [old, now] = [lines(before), lines(after)];
  const named = (table: ReadonlyMap<string, BoundHook>, other: ReadonlyMap<string, BoundHook>) =>
    [...table].filter(([key]) => !other.has(key)).map(([, bound]) => `${labelOf(bound)} (${bound.file})`);
  const [added, gone] = [named(now, old), named(old, now)];
  return [
    ...(added.length > 0 ? [`New or changed: ${added.join(', ')}.`] : []),
    ...(gone.length > 0 ? [`Gone: ${gone.join(', ')}.`] : []),
    ...(added.length + gone.length === 0 ? ['The order of the hooks has changed.'] : []),
  ].join(' ');
}

/** The input of a call after hooks have changed it; a reason when what they want cannot be done. */
export function changedInput(
  facts: ToolFacts,
  runs: readonly HookRun[],
): { readonly input: Record<string, unknown> } | { readonly problem: string } | undefined {
  let current: Record<string, unknown> | undefined;
  for (const { bound, payload, reading } of runs) {
    if (!reading.updatedInput || !payload.call) continue;
    const own = ownChange(bound, facts, payload.call, reading.updatedInput);
    if (own === undefined)
      return {
        problem: `${labelOf(bound)} wants to change the input of \`${facts.tool}\` in a way that this tool does not know, so the call was not made`,
      };
    if (JSON.stringify(own) !== JSON.stringify(facts.input)) current = { ...(current ?? facts.input), ...own };
  }
  return current && { input: current };
}

function ownChange(
  { hook }: BoundHook,
  facts: ToolFacts,
  call: ForeignCall,
  updated: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  return ownInput(dialects[hook.dialect].tools, facts, call, updated);
}
