/** Prepares a session that was recorded, and starts its process. May be done again after a crash: the launcher lets only one through. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import type { Account, Injection } from '@tenon/accounts/api';
import type { Confinement } from '@tenon/sandbox/api';
import type { DiagnosticReport, WorkerAdapter, WorkerCommand, WorkerTask } from '@tenon/workers/api';
import { makeOutputFolder, prepareExchange, readOnlyFolders, resumePrompt } from '../exchange/exchange.ts';
import { sideEffectsOf } from '../life/side-effects.ts';
import type { RunsParts } from '../parts.ts';
import type { Run, RunSession } from '../run.ts';
import type { RunStore } from '../store/run-store.ts';
import { recordHeadroom } from './accounts.ts';
import { confineWorker } from './confine.ts';
import { enterWorktree } from './enter-worktree.ts';
import { keptEnvironment, workerEnvironment } from './environment.ts';
import { keptKeys } from './run-keys.ts';
import { launch } from './launcher.ts';
import { StartFault } from './start-fault.ts';
import { adapterFolder, exchangeFolder, runFolder, sandboxFolder, scratchFolder, sessionFolder } from './places.ts';

/** What belongs to a session in this process and ends with it. */
export interface Belongings {
  /** The worker's environment, where this process has started it. */
  readonly env?: Readonly<Record<string, string>>;
  /** The probe beside it. */
  readonly diagnostics?: Promise<DiagnosticReport>;
  /** Gives back what the session was lent: account, folders, network. */
  release(): Promise<void>;
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
  const run = await enterWorktree(parts, store, recorded, signal);
  if (!existsSync(run.folder)) throw new StartFault('other', `The folder ${run.folder} is not there any more.`);
  const folder = sessionFolder(state, run.id, session.number);
  const scratch = scratchFolder(state, run.id, session.number);
  const exchange = exchangeFolder(state, run.id);
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  await makeOutputFolder(exchange, session.number);

  const undo: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const injection = await injectAccount(parts, adapter, session, signal);
    if (injection) undo.push(() => injection.release());
    const prompts = await promptsOf(store, run, session, adapter, exchange);
    const { request } = run;
    const { offerTools = false } = request;
    const contract =
      offerTools === false ? undefined : await registry.contract(offerTools === 'raw' ? { surface: 'raw' } : {});
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
      ...(request.yolo !== undefined && { yolo: request.yolo }),
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
      kept: adapterFolder(state, run.id),
      answers: session.reason === 'answer' ? await givenAnswers(store, run) : [],
    });
    const folders = [...prompts.folders, scratch, ...(injection?.folders ?? []), ...(prepared?.folders ?? [])];
    if (prepared) undo.push(() => prepared.clean());
    const adapterEnv = { ...command.env, ...prepared?.env };
    const lasting = sandboxFolder(state, run.id, session.number);
    await mkdir(lasting, { recursive: true, mode: 0o700 });
    const known = { ...kept, ...spec.env, ...adapterEnv, ...injection?.env };
    const confinement = await confineWorker(parts, run, spec, {
      cwd: run.folder,
      program,
      folders,
      reads: injection?.reads,
      closed: readOnlyFolders(exchange),
      env: known,
      lasting,
    });
    undo.push(() => confinement.dispose());
    const env = workerEnvironment({
      kept,
      own: { ...parts.env, ...(await keptKeys(parts, run)) },
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
    const diagnostics = registry
      .diagnose(adapter, env, AbortSignal.any([signal, probe.signal]))
      .then(async (report) => {
        await recordHeadroom(parts, session.account, report);
        return report;
      });
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
  // What a worker must not write to it cannot sign in; an answer that must fit a schema has no room for more.
  const signalBy = spec.capabilities.addFolders || run.request.schema !== undefined ? 'file' : 'answer';
  const first = await prepareExchange(run, folder, signalBy);
  if (session.reason === 'start') return first;
  const isFresh = session.resumes === undefined;
  const repeats = session.reason === 'retry' || session.reason === 'account' || isFresh;
  const earlier = (await store.sessions(run.id)).filter(({ number }) => number < session.number);
  const message = run.next?.message;
  const prompt = resumePrompt(run, session.reason, {
    folder,
    isFresh,
    signalBy,
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

async function givenAnswers(store: RunStore, run: Run) {
  return (await lastAnswers(store, run)).flatMap(({ id, answer }) => (answer === undefined ? [] : [{ id, answer }]));
}

async function messageText(store: RunStore, run: Run, wanted: number): Promise<string> {
  return (await store.messages(run.id)).find(({ number }) => number === wanted)?.text ?? '';
}
