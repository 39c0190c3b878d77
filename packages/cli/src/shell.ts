import { join } from 'node:path';
import { commandLine, type CommandIo, EXIT, type GlobalFlags, splitGlobalFlags } from '@tenon/command-line/api';
import { addUserEnvironment, AGENT_VARIABLE, agentSign, findFolders, type Folders } from '@tenon/host';
import { type Diagnostic, type Kernel, type Logger, messageOf } from '@tenon/kernel';
import { createLogger, createRedactor, LOG_LEVELS, secretValuesOf } from '@tenon/log';
import { errors } from './errors.ts';
import { exitCodeFor } from './exit-codes.ts';
import { diagnosticsText, faultText, type ReportStyle, stoppedText } from './fault-report.ts';
import { composeKernel } from '@tenon/sdk/composition';
import { Interrupts } from './interrupts.ts';
import { createLogFile } from './log-file.ts';
import { createIo, showsColor } from './terminal.ts';
import { terminalText } from '@tenon/wording';
import type { EnteredWorktree } from '@tenon/worktrees/api';

/** Runs one command line to its end, and ends the process with its exit code. */
export async function runShell(argv: readonly string[], version: string): Promise<never> {
  const { env } = process;
  const style = {
    color: showsColor(process.stderr, env, argv.includes('--no-color')),
    verbose: argv.includes('--verbose') || (env['TENON_DEBUG'] ?? '0') !== '0',
    json: isForPrograms(beforeDashes(argv)),
    logFolder: '',
  };
  const interrupts = new Interrupts({
    stopped: (signal) => process.stderr.write(stoppedText(signal, style)),
    waiting: () => process.stderr.write('Still stopping. Press Ctrl-C again to stop at once.\n'),
  });
  interrupts.listen();
  const fail = async (fault: unknown): Promise<number> => {
    if (interrupts.code !== undefined) return interrupts.code;
    const text = faultText(fault, style);
    process.stderr.write(process.stderr.isTTY ? terminalText(text) : text);
    return exitCodeFor(fault);
  };
  const crash = (fault: unknown) => void fail(fault).then((code) => process.exit(code));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  let code: number;
  try {
    const flags = splitGlobalFlags(argv);
    const started = findFolders(env, changeFolder(flags.cwd));
    const entered = flags.help || flags.version ? undefined : await enterWorktree(flags.words, started);
    const folders = entered ? findFolders(env, changeFolder(entered.folder)) : started;
    // Programs that Tenon starts, and libraries that ask for the home folder, get the same answer.
    env['HOME'] = folders.home;
    addUserEnvironment(folders, env);
    style.logFolder = join(folders.state, 'log');
    const io = createIo({ environment: env, noColor: flags.noColor, verbose: flags.verbose, interrupts });
    for (const notice of entered?.notices ?? []) await io.err(`${notice}\n`);
    try {
      code = flags.version
        ? await printVersion(io, version)
        : await runCommand({ version, flags, folders, io, interrupts, style });
    } finally {
      if (entered) await leaveWorktree(entered, started.cwd, io, style);
    }
  } catch (fault) {
    code = await fail(fault);
  }
  process.exit(interrupts.code ?? code);
}

/** With --worktree everything works in another folder, so that is made before anything else begins. */
async function enterWorktree(words: readonly string[], folders: Folders): Promise<EnteredWorktree | undefined> {
  if (!words.some((word) => word.startsWith('--worktree'))) return undefined;
  const worktrees = await import('@tenon/worktrees/api');
  const flag = worktrees.worktreeFlag(words);
  return flag && worktrees.enterWorktree(folders, flag);
}

/** The command is over; what goes wrong here is worth a word, but not another exit code. */
async function leaveWorktree(entered: EnteredWorktree, back: string, io: CommandIo, style: ReportStyle): Promise<void> {
  try {
    // It may be removed now, and nobody should stand in it then.
    process.chdir(back);
    await io.err(`${await entered.leave()}\n`);
  } catch (fault) {
    await io.err(faultText(fault, style));
  }
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Whether a program reads the output, so that failures are JSON as well. */
function isForPrograms(words: readonly string[]): boolean {
  const format = (flag: string) => {
    const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
    const word = words[at];
    return word === undefined ? '' : word === flag ? (words[at + 1] ?? '') : word.slice(flag.length + 1);
  };
  return words.includes('--json') || format('--output-format').endsWith('json') || format('--mode') === 'json';
}

/** What Node says about these names the folder that one is in, which misleads. */
const UNUSABLE: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist.',
  ENOTDIR: 'it is a file.',
  EACCES: 'you may not enter it.',
};

function changeFolder(folder: string | undefined): string {
  if (folder !== undefined) {
    try {
      process.chdir(folder);
    } catch (fault) {
      const { code = '' } = fault as NodeJS.ErrnoException;
      throw errors.create('CLI_CWD', { folder, reason: UNUSABLE[code] ?? messageOf(fault) }, fault);
    }
  }
  try {
    return process.cwd();
  } catch (fault) {
    throw errors.create('CLI_CWD_GONE', {}, fault);
  }
}

async function printVersion(io: CommandIo, version: string): Promise<number> {
  await io.out(`tenon ${version}\n`);
  return EXIT.ok;
}

interface Run {
  readonly version: string;
  readonly flags: GlobalFlags;
  readonly folders: Folders;
  readonly io: CommandIo;
  readonly interrupts: Interrupts;
  readonly style: ReportStyle;
}

async function runCommand({ version, flags, folders, io, interrupts, style }: Run): Promise<number> {
  const { signal } = interrupts;
  // The user's own variables reach programs of agents, too; they are not refused, but nothing gets looser by them.
  const sign = flags.set.length > 0 || process.env['TENON_SET'] ? agentSign() : undefined;
  if (flags.set.length > 0) refuseAgent(sign, '--set');
  const assignments = [...flags.set];
  const overrides = { assignments, environment: process.env, isByAgent: sign !== undefined };
  const kernel = composeKernel({ version, log: openLog(style, io), folders, overrides });
  try {
    const line = await kernel.find(commandLine);
    for (const { flag, assignment } of line.settingsIn(flags.words)) {
      refuseAgent(agentSign(), flag);
      if (assignment !== undefined) assignments.push(assignment);
    }
    if (!flags.noPacks) await kernel.discover({ cwd: folders.cwd, home: folders.home, trusted: false }, signal);
    await kernel.start();
    const spec = line.find(flags.words)?.spec;
    // What a person's own command starts, such as an editor, is the person's.
    if (spec?.personOnly !== true) process.env[AGENT_VARIABLE] ??= String(process.pid);
    if (spec?.serves === true) interrupts.serve();
    const isQuiet = spec?.quiet === true;
    const shownCount = isQuiet ? undefined : await tell(kernel, 0, io, style);
    const code = await line.run(flags.words, { io, cwd: folders.cwd, signal, help: flags.help });
    if (shownCount !== undefined) await tell(kernel, shownCount, io, style);
    return code;
  } finally {
    await disposeKernel(kernel, io, style);
  }
}

/** An agent could start another one that asks less. */
function refuseAgent(sign: string | undefined, flag: string): void {
  if (sign !== undefined) throw errors.create('CLI_SET_BY_AGENT', { sign, flag });
}

/** Shows the findings from the given number on; gives how many there are now. */
async function tell(kernel: Kernel, from: number, io: CommandIo, style: ReportStyle): Promise<number> {
  const all: readonly Diagnostic[] = kernel.diagnostics();
  const text = diagnosticsText(all.slice(from), style);
  if (text) await io.err(text);
  return all.length;
}

/** The command is over: a plugin that does not stop cleanly is worth a word, but not another exit code. */
async function disposeKernel(kernel: Kernel, io: CommandIo, style: ReportStyle): Promise<void> {
  try {
    await kernel.dispose();
  } catch (fault) {
    await io.err(faultText(fault, style));
  }
}

function openLog(style: ReportStyle, io: CommandIo): Logger {
  const complain = (message: string) => void io.err(`tenon: ${message}\n`);
  const sink = createLogFile({ folder: style.logFolder, onFault: complain });
  const levelName = process.env['TENON_LOG'] || 'info';
  const level = LOG_LEVELS.find((name) => name === levelName);
  if (!level) complain(errors.create('CLI_LOG_LEVEL', { level: levelName, levels: LOG_LEVELS }).message);
  const redact = createRedactor(secretValuesOf(process.env));
  return createLogger({ owner: 'cli', sink, level: level ?? 'info', redact });
}
