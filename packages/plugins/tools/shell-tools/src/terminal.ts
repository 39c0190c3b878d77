/** Runs a command on a terminal of its own: for programs that want one. */
import type { LiveTerminal } from '@tenon/host';
import type { Accelerators } from '@tenon/native';
import { MARKED, type OpenShell, type RunResult, type TerminalPlace } from './open-shell.ts';
import { quote } from './quote.ts';
import type { Screen } from './screen.ts';
import { restoreScript } from './shell-state.ts';

const COLUMNS = 120;
const ROWS = 40;

/** One command for a terminal. */
export interface TerminalRun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  readonly bash: string | undefined;
  readonly signal: AbortSignal;
  /** Told from time to time that there is something new. */
  onChange(screen: Screen): void;
  /** Shows the terminal to the user while the program runs; the result takes it away. */
  readonly attach?: ((terminal: LiveTerminal) => () => void) | undefined;
}

/** Runs the command in the surroundings of a session's shell, whose own state it does not change. */
export async function runOnTerminal(
  accelerator: Accelerators['shell'],
  open: OpenShell,
  run: TerminalRun,
): Promise<{ readonly result: RunResult; readonly text: string }> {
  const screen = new (await import('./screen.ts')).Screen(COLUMNS, ROWS);
  const place = await open.terminalPlace();
  try {
    return { result: await runOn(screen, place, accelerator, open, run), text: screen.text() };
  } finally {
    screen.dispose();
    await place.confinement.dispose();
  }
}

async function runOn(
  screen: Screen,
  { confinement, env, surroundings }: TerminalPlace,
  accelerator: Accelerators['shell'],
  open: OpenShell,
  run: TerminalRun,
): Promise<RunResult> {
  const bash = run.bash ?? 'bash';
  const state = open.isNoted ? restoreScript(open.stateFile, surroundings) : '';
  const shell = [bash, '--noprofile', '--norc', '-c', scriptOf(state, run), 'bash'];
  const [program = bash, ...args] = [...MARKED, ...confinement.argv, ...shell];
  let outcome: RunResult['outcome'] = 'exited';
  const watchers = new Set<() => void>();
  const pty = accelerator.openPty({
    bash,
    program: [program, ...args],
    cwd: run.cwd,
    env: { ...env, TERM: 'xterm-256color' },
    columns: COLUMNS,
    rows: ROWS,
    async onOutput(bytes) {
      await screen.write(bytes);
      run.onChange(screen);
      for (const watcher of watchers) watcher();
    },
  });
  // Programs ask their terminal where the cursor is, and wait for the answer.
  screen.onAnswer((data) => void pty.write(data));
  const end = (how: RunResult['outcome']) => {
    outcome = how;
    void pty.close();
  };
  const stop = () => end('cancelled');
  const detach = run.attach?.({
    title: run.command,
    rows: () => screen.styledRows(),
    caret: () => screen.caret(),
    get sendsApplicationKeys() {
      return screen.sendsApplicationKeys;
    },
    get bracketsPastes() {
      return screen.bracketsPastes;
    },
    write: (data) => void pty.write(data),
    resize: (columns, rows) => {
      screen.resize(columns, rows);
      pty.resize(columns, rows);
    },
    stop,
    onChange: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  });
  const timer = run.timeoutMs === undefined ? undefined : setTimeout(() => end('timed-out'), run.timeoutMs);
  if (run.signal.aborted) stop();
  else run.signal.addEventListener('abort', stop, { once: true });
  try {
    const { exitCode } = await pty.exit;
    return { exitCode: outcome === 'exited' ? exitCode : null, outcome, shell: 'kept', cwd: run.cwd };
  } finally {
    detach?.();
    clearTimeout(timer);
    run.signal.removeEventListener('abort', stop);
  }
}

/** Each part on lines of its own: aliases count from the line after the one that defines them. */
function scriptOf(state: string, { command, cwd, env }: TerminalRun): string {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  return [state, 'export TERM=xterm-256color', ...variables, `cd -- ${quote(cwd)} || exit 1`, command].join('\n');
}
