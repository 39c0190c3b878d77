/** The folder through which a run and its worker exchange files. It lies outside of the repository, so that a run leaves nothing there. */
import { chmod, cp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { errors } from '../errors.ts';
import { prompts } from '../prompts/index.ts';
import type { Run, RunMode } from '../run.ts';
import type { Exchange, FoundSignal, ResumeData, ResumeReason, SignalBy } from './contract.ts';
import { makeOwnFolders, type Proposal, readProposals } from './own-file.ts';
import { readSignalFile, signalInAnswer } from './signal.ts';

/** Modes whose result is files and not changes of the project. */
const PROPOSING: readonly RunMode[] = ['plan', 'detail', 'refine'];
/** What nobody wants copied. */
const NOT_CONTEXT = new Set(['.git', 'node_modules', 'target', '.venv']);

/** Where the worker of a session writes what it hands back. */
export function outputFolder(folder: string, session: number): string {
  return join(folder, 'output', `session-${session}`);
}

/** Where it writes what it proposes. */
export function proposalFolder(folder: string, session: number): string {
  return join(outputFolder(folder, session), 'proposals');
}

/** Makes it, for the process that starts the worker. */
export function makeOutputFolder(folder: string, session: number): Promise<string> {
  return makeOwnFolders(folder, 'output', `session-${session}`);
}

/** What a worker only reads. */
export function readOnlyFolders(folder: string): readonly string[] {
  return [join(folder, 'input'), join(folder, 'context')];
}

const signalFile = (folder: string, session: number) => join(outputFolder(folder, session), 'signal.json');

/** Fills the exchange folder for a session that begins with the whole task, and says what the worker reads. */
export async function prepareExchange(run: Run, folder: string, by: SignalBy = 'file'): Promise<Exchange> {
  const { request, session } = run;
  const { mode = 'execute', inputs = {}, context = [] } = request;
  const input = join(folder, 'input');
  await makeOwnFolders(folder, 'output', `session-${session}`, 'proposals');
  // Made anew: the worker of an earlier session may have left links there, which writing would follow.
  await rm(input, { recursive: true, force: true });
  await makeOwnFolders(folder, 'input');
  await writeFile(join(input, 'task.md'), taskFile(run), { mode: 0o600 });
  const names = Object.keys(inputs);
  for (const name of names)
    await writeFile(join(input, inputName(name)), withFrontMatter(run, name, inputs[name] ?? ''));
  if (context.length > 0) await copyContext(context, request.cwd, join(folder, 'context'));
  const systemPrompt = prompts.exchange({
    mode,
    session,
    inputs: names,
    inputFolder: input,
    hasContext: context.length > 0,
    contextFolder: join(folder, 'context'),
    proposes: PROPOSING.includes(mode),
    proposalFolder: proposalFolder(folder, session),
    signal:
      by === 'answer'
        ? prompts.signalInAnswer({ session })
        : prompts.signalFile({ session, signalFile: signalFile(folder, session) }),
  });
  return {
    systemPrompt: [request.systemPrompt, systemPrompt].filter(Boolean).join('\n\n'),
    prompt: request.task,
    folders: [folder],
  };
}

/** The task as a file, for a worker that wants to read it again. */
function taskFile({ id, alias, session, attempt, request }: Run): string {
  const head = [
    `run: ${id}`,
    `alias: ${alias}`,
    `mode: ${request.mode ?? 'execute'}`,
    `attempt: ${attempt}`,
    `session: ${session}`,
  ];
  return `---\n${head.join('\n')}\n---\n\n${request.task}\n`;
}

/** Inputs are files of one folder: a name that leads out of it is refused. */
function inputName(name: string): string {
  if (name === '' || name !== basename(name) || name === '..' || name === '.' || name === 'task.md')
    throw errors.create('RUNS_INPUT_NAME', { name });
  return name;
}

function withFrontMatter({ alias }: Run, name: string, text: string): string {
  if (!name.endsWith('.md') || text.startsWith('---\n')) return text;
  return `---\nrun: ${alias}\ninput: ${JSON.stringify(name)}\n---\n\n${text}`;
}

/** Copies, so that nobody changes the originals and links lead nowhere new. */
async function copyContext(paths: readonly string[], cwd: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await makeOwnFolders(target);
  const taken = new Set<string>();
  for (const path of paths) {
    const source = resolve(cwd, path);
    const name = freeName(basename(source) || 'context', taken);
    try {
      await cp(source, join(target, name), { recursive: true, filter: (from) => !NOT_CONTEXT.has(basename(from)) });
    } catch (fault) {
      throw errors.create('RUNS_CONTEXT', { path, reason: (fault as Error).message }, fault);
    }
  }
  await makeReadOnly(target);
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let at = 2; taken.has(name); at++) name = `${at}-${wanted}`;
  taken.add(name);
  return name;
}

/** Files only: a folder that cannot be written to could not be removed either. */
async function makeReadOnly(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o555) | 0o400);
  }
}

/** What a worker reads that goes on. */
export function resumePrompt(run: Run, reason: ResumeReason, data: ResumeData): string {
  const { answers = [], sideEffects = [], message = '', error = '', isFresh, folder } = data;
  const said = isFresh || answers.length > 0 || message !== '';
  return prompts.resume({
    session: run.session,
    signal:
      data.signalBy === 'answer'
        ? prompts.signalInAnswer({ session: run.session })
        : prompts.signalAgain({ session: run.session, signalFile: signalFile(folder, run.session) }),
    task: run.request.task,
    isFresh,
    isMissingSignal: reason === 'missing-signal',
    goesOn: !said && (reason === 'retry' || reason === 'account'),
    wasTakenOver: reason === 'release',
    error: reason === 'retry' ? error : '',
    message,
    answers: answers.map(({ text, answer }) => ({ text, answer: answer ?? '(no answer)' })),
    sideEffects: sideEffects.map(({ tool, attempts }) => ({ tool, attempts: attempts.join(', ') })),
  });
}

/** The signal of a session, if the worker has left one that can be believed. */
export async function readSignal(folder: string, session: number): Promise<FoundSignal> {
  return readSignalFile(folder, signalFile(folder, session), session);
}

/** The same for a worker that cannot write there: the block at the end of its answer, and the answer without it. */
export async function readAnswerSignal(
  answer: string,
  session: number,
): Promise<FoundSignal & { readonly text: string }> {
  return signalInAnswer(answer, session);
}

/** What the worker of a session proposes. */
export async function proposalsOf(folder: string, session: number): Promise<readonly Proposal[]> {
  return readProposals(folder, proposalFolder(folder, session));
}
