/** Plans that run commands: a given one, the project's tests and scripts, git. */
import { ask, call, type CallResult, failed, type Outcome, type Plan, said, type Step } from '../plan.ts';
import type { Choice, Request } from '../request.ts';
import { readPaths } from '../tool-output.ts';
import { PROJECT_FILES, type ProjectFile } from './project-files.ts';
import { readWhole } from './reading.ts';
import { block, code, count } from './wording.ts';

/** Runs what the user wrote. */
export const runCommand: Plan = function* (request) {
  const command = request.slots['command'] ?? '';
  return yield* execute(command, request.slots['cwd'] ?? request.scope.paths[0]);
};

function* execute(
  command: string,
  cwd: string | undefined,
  what = `${code(command)}`,
): Generator<Step, Outcome, readonly CallResult[]> {
  const input = { command, ...(cwd !== undefined && cwd !== '.' && { cwd }) };
  const result = yield* call('bash', input, { say: `Running ${code(command)}.`, mayFail: true });
  const output = result.text.trim();
  const exit = /exited with code (\d+)/i.exec(output)?.[1];
  const shown = output === '' || output === '(no output)' ? 'It printed nothing.' : block(tail(output));
  if (!result.isError) return said(`${what} succeeded.\n\n${shown}`);
  const reason = exit === undefined ? 'did not finish well' : `failed with exit code ${exit}`;
  return failed(`${what} ${reason}.\n\n${shown}`);
}

/** The end of an output says most. */
function tail(output: string, lines = 80): string {
  const all = output.split('\n');
  return all.length <= lines
    ? output
    : [`(${count(all.length - lines, 'earlier line')})`, ...all.slice(-lines)].join('\n');
}

/** Runs the project's tests. */
export const runTests: Plan = function* (request) {
  const [path] = request.scope.paths;
  const folder = path !== undefined && !/\.\w+$/.test(path) && !/[*?]/.test(path) ? path : undefined;
  const project = yield* projectCommands('test', folder);
  const file = path !== undefined && path !== project.folder ? path : undefined;
  return yield* runCommandOf(request, project, { what: 'tests', script: 'test', ...(file !== undefined && { file }) });
};

/** Runs one of the project's scripts: build, lint, format, or one by name. */
export const runScript: Plan = function* (request) {
  const script = request.slots['script'] ?? 'build';
  const project = yield* projectCommands(script, request.scope.paths[0]);
  return yield* runCommandOf(request, project, { what: script, script });
};

interface ProjectCommands {
  readonly commands: readonly { readonly command: string; readonly file: ProjectFile; readonly script?: string }[];
  readonly folder: string | undefined;
  readonly files: readonly string[];
}

/** What the project's own files say about how to run something. */
function* projectCommands(
  script: string,
  folder: string | undefined,
): Generator<Step, ProjectCommands, readonly CallResult[]> {
  const say = `Looking for how this project runs ${script === 'test' ? 'its tests' : code(script)}.`;
  let files: string[] = [];
  let base: string | undefined = folder;
  for (const prefix of folder === undefined ? [''] : [`${folder}/`, '']) {
    const result: CallResult = yield* call(
      'find',
      { paths: PROJECT_FILES.map(({ name }) => `${prefix}${name}`) },
      { say, mayFail: true },
    );
    files = result.isError ? [] : readPaths(result.text);
    base = prefix === '' ? undefined : folder;
    if (files.length > 0) break;
  }
  const commands: { command: string; file: ProjectFile; script?: string }[] = [];
  const nameOf = (path: string) => path.split('/').at(-1) ?? path;
  for (const file of PROJECT_FILES) {
    const path = files.find((other) => nameOf(other) === file.name);
    if (path === undefined || file.command === undefined) continue;
    const read = file.needsText ? yield* readWhole(path) : { text: '' };
    const entry = 'text' in read ? file.command(script, read.text, files.map(nameOf)) : undefined;
    if (entry !== undefined) commands.push({ ...entry, file });
  }
  return { commands, folder: base, files };
}

function* runCommandOf(
  request: Request,
  { commands, folder, files }: ProjectCommands,
  { what, script, file }: { readonly what: string; readonly script: string; readonly file?: string },
): Generator<Step, Outcome, readonly CallResult[]> {
  const [only, ...others] = commands;
  if (!only) {
    const looked =
      files.length === 0
        ? 'No file that I know says how'
        : `${files.map(code).join(', ')} ${files.length === 1 ? 'does' : 'do'} not say how`;
    return failed(`${looked} to run ${code(what)} here. Tell me the command, for example: run \`make ${script}\`.`);
  }
  const full = (command: (typeof commands)[number]) => withPath(command, file);
  if (others.length > 0 && new Set(commands.map(({ command }) => command)).size > 1) {
    const choices = commands.map((command): Choice => ({
      label: `${code(full(command))} (${command.file.name})`,
      words: [full(command), command.file.name],
      request: {
        ...request,
        intent: 'run',
        slots: { command: full(command), ...(folder !== undefined && { cwd: folder }) },
        scope: { paths: [], everywhere: false },
      },
    }));
    return ask({ text: `There is more than one way to run ${code(what)} here. Which one?`, choices });
  }
  if (file !== undefined && only.file.takesPath !== true) {
    return failed(
      `I do not know how ${code(only.command)} takes a single file. Tell me the whole command, for example: run \`${only.command} …\`.`,
    );
  }
  const label = what === 'tests' ? `The tests (${code(full(only))})` : `${code(full(only))}`;
  return yield* execute(full(only), folder, label);
}

function withPath({ command }: { readonly command: string }, path: string | undefined): string {
  if (path === undefined) return command;
  const quoted = /^[\w./@*-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  return /^(?:npm|pnpm|yarn)\b/.test(command) ? `${command} -- ${quoted}` : `${command} ${quoted}`;
}

const GIT: Readonly<Record<string, (paths: string, count: string) => string>> = {
  status: (paths) => `git status --short --branch${paths}`,
  diff: (paths) => `git --no-pager diff HEAD${paths}`,
  staged: (paths) => `git --no-pager diff --staged${paths}`,
  log: (paths, number) => `git --no-pager log --oneline -n ${number}${paths}`,
  branch: () => 'git --no-pager branch -vv',
};

/** Shows what git knows: status, diff, log, branches. */
export const git: Plan = function* (request) {
  const { what = 'status', count: number = '10', path } = request.slots;
  const paths = [...(path === undefined ? [] : [path]), ...request.scope.paths];
  const tailArgs =
    paths.length > 0 ? ` -- ${paths.map((name) => `'${name.replaceAll("'", String.raw`'\''`)}'`).join(' ')}` : '';
  const command = (GIT[what] ?? GIT['status'])?.(tailArgs, number) ?? 'git status --short --branch';
  const result = yield* call('bash', { command }, { say: `Asking git: ${code(command)}.`, mayFail: true });
  if (result.isError) return failed(gitProblem(result.text, what));
  const output = result.text.trim();
  if (output === '' || output === '(no output)') return said(EMPTY[what] ?? 'Git has nothing to show.');
  if (what === 'status') return said(statusText(output));
  return said(block(output, what === 'diff' || what === 'staged' ? 'diff' : '', 400));
};

const EMPTY: Readonly<Record<string, string>> = {
  diff: 'No tracked file differs from the last commit. New files do not show in a diff; "git status" lists them.',
  staged: 'Nothing is staged.',
  log: 'There are no commits yet.',
};

function gitProblem(text: string, what: string): string {
  if (/not a git repository/i.test(text))
    return 'This folder is not a git repository, so there is nothing to compare with.';
  if (/unknown revision|ambiguous argument 'HEAD'|bad revision|does not have any commits/i.test(text))
    return 'There is no commit yet, so there is nothing to compare with. "git status" shows the files.';
  return `Git could not show the ${what}:\n\n${block(text)}`;
}

function statusText(output: string): string {
  const [branch = '', ...files] = output.split('\n');
  const on = branch.replace(/^## /, '');
  if (files.length === 0) return `On branch ${code(on)}. Nothing has changed since the last commit.`;
  return `On branch ${code(on)}. ${count(files.length, 'file')} changed:\n\n${block(files.join('\n'), '', 200)}`;
}
