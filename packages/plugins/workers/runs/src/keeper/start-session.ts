/** Prepares a session that was recorded, and starts its process. May be done again after a crash: the launcher lets only one through. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { isInside } from '@tenon/host';
import { join, relative } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import type { Account, Injection } from '@tenon/accounts/api';
import type { Confinement } from '@tenon/sandbox/api';
import type { DiagnosticReport, WorkerAdapter, WorkerCommand, WorkerTask } from '@tenon/workers/api';
import { wantsWorktree } from '@tenon/worktrees/api';
import { outputFolder, prepareExchange, resumePrompt } from '../exchange/exchange.ts';
import { sideEffectsOf } from '../life/side-effects.ts';
import type { RunsParts } from '../parts.ts';
import type { Run, RunEventBody, RunSession } from '../run.ts';
import type { RunStore } from '../store/run-store.ts';
import { checkoutAround } from './checkout.ts';
import { confineWorker } from './confine.ts';
import { keptEnvironment, workerEnvironment } from './environment.ts';
import { launch } from './launcher.ts';
import { exchangeFolder, runFolder, sandboxFolder, scratchFolder, sessionFolder } from './places.ts';

/** What belongs to a session in this process and ends with it. */
export interface Belongings {
  /** The worker's environment, where this process has started it. */
  readonly env?: Readonly<Record<string, string>>;
  /** The probe beside it. */
  readonly diagnostics?: Promise<DiagnosticReport>;
  /** Gives back what the session was lent: account, folders, network. */
  release(): Promise<void>;
}

/** A failure that the run's record names. */
export class StartFault extends Error {
  readonly fault: 'not-installed' | 'bad-arguments' | 'quota' | 'other';

  constructor(fault: StartFault['fault'], message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Prepares and starts the newest session of a run. */
export async function startSession(
  parts: RunsParts,
  store: RunStore,
  adapter: WorkerAdapter,
  recorded: Run,
  session: RunSession,
  signal: AbortSignal,
): Promise<Belongings> {
  const { state } = parts.folders;
  const registry = await parts.registry();
  const program = await registry.locate(adapter);
  const { spec } = adapter;
  if (program === undefined)
    throw new StartFault(
      'not-installed',
      `${spec.name} (${spec.program}) is not installed.${spec.install ? ` Install it: ${spec.install}` : ''}`,
    );
  const run = await enterWorktree(parts, store, recorded);
  if (!existsSync(run.folder)) throw new StartFault('other', `The folder ${run.folder} is not there any more.`);
  const folder = sessionFolder(state, run.id, session.number);
  const scratch = scratchFolder(state, run.id, session.number);
  const exchange = exchangeFolder(state, run.id);
  for (const path of [scratch, outputFolder(exchange, session.number)])
    await mkdir(path, { recursive: true, mode: 0o700 });

  const undo: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const injection = await injectAccount(parts, adapter, session, signal);
    if (injection) undo.push(() => injection.release());
    const prompts = await promptsOf(store, run, session, adapter, exchange);
    const folders = [...prompts.folders, scratch, ...(injection?.folders ?? [])];
    const { request } = run;
    const canOffer = request.offerTools === true && spec.capabilities.mcp !== 'none';
    const contract = canOffer ? await registry.contract() : undefined;
    const instructions = [prompts.systemPrompt, contract?.promptGuidance ?? '']
      .filter((text) => text !== '')
      .join('\n\n');
    const command = adapter.command({
      prompt: prompts.prompt,
      cwd: run.folder,
      scratch,
      folders: prompts.folders,
      ...(instructions !== '' && { systemPrompt: instructions }),
      ...(request.model !== undefined && { model: request.model }),
      ...(request.schema !== undefined && { schema: request.schema }),
      ...(request.extraArgs !== undefined && { extraArgs: request.extraArgs }),
      ...(request.options !== undefined && { options: request.options }),
      ...(contract && { mcp: { tenon: contract.launch } }),
      ...cliSessionOf(session),
    });
    const kept = await keptEnvironment(runFolder(state, run.id), parts.env);
    // What is prepared may use these files.
    await writeFiles(command, scratch);
    const prepared = await adapter.prepare?.({
      scratch,
      env: { ...kept, ...spec.env, ...command.env, ...injection?.env },
    });
    if (prepared) undo.push(() => prepared.clean());
    const adapterEnv = { ...command.env, ...prepared?.env };
    const lasting = sandboxFolder(state, run.id, session.number);
    await mkdir(lasting, { recursive: true, mode: 0o700 });
    const known = { ...kept, ...spec.env, ...adapterEnv, ...injection?.env };
    const confinement = await confineWorker(parts, run, spec, { cwd: run.folder, folders, env: known, lasting });
    undo.push(() => confinement.dispose());
    const env = workerEnvironment({
      kept,
      own: parts.env,
      spec,
      hasAccount: injection !== undefined,
      sandbox: confinement.env,
      adapter: adapterEnv,
      injected: injection?.env ?? {},
      request: request.env ?? {},
      mark: `${run.id}:${session.number}`,
    });
    // A name that PATH decides is replaced by what was found, so that both mean the same program.
    const word = command.program === spec.program ? program : command.program;
    await store.change(run.id, { run: { sandbox: sandboxText(run, confinement) } });
    const argv = [...confinement.argv, word, ...command.args];
    const { pid } = await launch({ folder, argv, cwd: run.folder, env }).catch((fault: unknown) => {
      throw new StartFault('bad-arguments', `The worker could not be started: ${messageOf(fault)}`, fault);
    });
    if (pid !== undefined) confinement.outlive?.(pid);
    const probe = new AbortController();
    undo.push(async () => probe.abort());
    const diagnostics = registry.diagnose(adapter, env, AbortSignal.any([signal, probe.signal]));
    return { env, diagnostics, release };
  } catch (fault) {
    await release();
    throw fault;
  }
}

function sandboxText({ request }: Run, { profile, describe }: Confinement): string {
  if (request.sandbox === 'off') return 'off: the request says so';
  return profile === 'full' ? `off: ${describe()}` : describe();
}

/** The CLI's own session: one to go on with, or the name for a new one where the CLI takes names. */
function cliSessionOf({ resumes, cliSession }: RunSession): Pick<WorkerTask, 'session'> {
  if (resumes !== undefined) return { session: { id: resumes, how: 'resume' } };
  return cliSession === undefined ? {} : { session: { id: cliSession, how: 'preset' } };
}

async function writeFiles({ files = [] }: WorkerCommand, scratch: string): Promise<void> {
  for (const { path, text } of files) {
    if (!isInside(path, scratch))
      throw new StartFault('other', `The adapter wants to write ${path}, which is not its own.`);
    await writeFile(path, text, { mode: 0o600 });
  }
}

/** The account of the session, which was chosen when the session was recorded. */
async function injectAccount(
  parts: RunsParts,
  { spec }: WorkerAdapter,
  { account: id }: RunSession,
  signal: AbortSignal,
): Promise<Injection | undefined> {
  if (id === undefined) return undefined;
  const service = await parts.accounts();
  const account: Account | undefined = (await service?.list(spec.vendor))?.find((entry) => entry.id === id);
  if (service === undefined || account === undefined)
    throw new StartFault('other', `There is no account ${id} any more.`);
  return service.inject(account, { worker: spec.id, keyVariables: spec.keyVariables, signal });
}

/** What the worker reads: the whole task, or what is new. */
async function promptsOf(
  store: RunStore,
  run: Run,
  session: RunSession,
  { spec }: WorkerAdapter,
  folder: string,
): Promise<{ readonly prompt: string; readonly systemPrompt: string; readonly folders: readonly string[] }> {
  const first = await prepareExchange(run, folder);
  if (session.reason === 'start') return first;
  const isFresh = session.resumes === undefined;
  const repeats = session.reason === 'retry' || session.reason === 'account' || isFresh;
  const earlier = (await store.sessions(run.id)).filter(({ number }) => number < session.number);
  const message = run.next?.message;
  const prompt = resumePrompt(run, session.reason, {
    folder,
    isFresh,
    ...(session.reason === 'answer' && { answers: await lastAnswers(store, run) }),
    ...(message !== undefined && { message: await messageText(store, run, message) }),
    ...(run.error !== undefined && { error: run.error.message }),
    ...(repeats && { sideEffects: await sideEffectsOf(store, run.id, earlier, spec.sideEffects) }),
  });
  return { ...first, prompt };
}

async function lastAnswers(store: RunStore, run: Run) {
  const questions = await store.questions(run.id);
  const last = Math.max(0, ...questions.map(({ session }) => session));
  return questions.filter(({ session }) => session === last);
}

async function messageText(store: RunStore, run: Run, wanted: number): Promise<string> {
  return (await store.messages(run.id)).find(({ number }) => number === wanted)?.text ?? '';
}

/** Errors of worktrees that do not matter when nobody has asked for one. */
const NO_WORKTREE = new Set(['WORKTREES_NO_GIT', 'WORKTREES_NO_REPOSITORY', 'WORKTREES_NO_COMMIT']);

/** Makes the run's worktree, or finds it again. */
async function enterWorktree(parts: RunsParts, store: RunStore, run: Run): Promise<Run> {
  const { cwd, worktree: wish = 'auto' } = run.request;
  if (run.worktree === undefined && !(await isWorktreeWanted(store, run))) return run;
  const service = await parts.worktrees();
  if (service === undefined) throw new StartFault('other', 'Worktrees are switched off.');
  try {
    const { worktree, isReused, notices } = await service.create(cwd, run.worktree?.name ?? run.alias, {
      holder: run.id,
    });
    if (isReused && run.worktree !== undefined) return run;
    const { name, folder, base, branch } = worktree;
    const inside = join(folder, belowRepository(cwd));
    const events: RunEventBody[] = notices.map((message) => ({ type: 'notice', message }));
    const changed = await store.change(run.id, {
      run: {
        worktree: { name, folder, base, ...(branch !== undefined && { branch }) },
        folder: existsSync(inside) ? inside : folder,
      },
      events,
    });
    if (changed) await parts.tell({ outputs: [], events: changed.events });
    return changed?.run ?? run;
  } catch (fault) {
    if (wish !== 'auto' || !(fault instanceof TenonError) || !NO_WORKTREE.has(fault.code)) throw fault;
    return run;
  }
}

/** Whether the request says so, the task looks like it, or another run changes files in the same folder. */
async function isWorktreeWanted(store: RunStore, { id, request }: Run): Promise<boolean> {
  const { task, cwd, worktree: wish = 'auto' } = request;
  const others = await store.list({ states: ['starting', 'running', 'validating', 'hijacked'] });
  const changesFiles = (run: Run) => run.folder === cwd && (run.request.mode ?? 'execute') === 'execute';
  return wantsWorktree(task, wish, { isBusy: others.some((run) => run.id !== id && changesFiles(run)) });
}

/** Where the folder is in its checkout: a run in `packages/a` works in the same folder of its worktree. */
function belowRepository(cwd: string): string {
  const top = checkoutAround(cwd);
  return top === undefined ? '' : relative(top, cwd);
}
