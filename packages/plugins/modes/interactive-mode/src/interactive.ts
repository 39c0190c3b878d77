/** From a call of the mode to a screen, and back to an exit code. */
import { EXIT } from '@tenon/command-line/api';
import { backgroundIsDark, BUILT_IN_THEMES, colorDepth, createTheme } from '@tenon/components';
import { messageOf, type PluginContext } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import { loadAccelerator } from '@tenon/native';
import {
  AppendScreen,
  FactFinder,
  FullScreen,
  LineScreen,
  LineTerminal,
  MainScreen,
  ProcessTerminal,
  type ScreenOptions,
  type TerminalFacts,
} from '@tenon/screen';
import type { Session } from '@tenon/sessions/api';
import { screenThemes } from '@tenon/screen-slots/api';
import { errors } from './errors.ts';
import type { InteractiveModeSettings } from './generated/settings.ts';
import { makeInterface } from './make-interface.ts';
import { guardErrorOutput } from './output-guard.ts';
import { ScreenRun } from './screen-run.ts';
import type { StatusWatch } from './status/status-watch.ts';
import { ThemeChoice } from './theme-choice.ts';
import { earlierRows } from './transcript/earlier-rows.ts';

/** Runs the screen until the user leaves. */
export async function runInteractive(
  call: ModeCall,
  ctx: PluginContext<InteractiveModeSettings>,
  watch: StatusWatch,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  for (const [what, stream] of [
    ['standard input', process.stdin],
    ['standard output', process.stdout],
  ] as const)
    if (!stream.isTTY) throw errors.create('INTERACTIVE_NO_TERMINAL', { what });
  const { config } = ctx;
  const facts = new FactFinder({ environment, onChange: (known) => void onFacts(known) });
  // `TERM=dumb`, or none at all: nothing can be drawn there, but lines can be read and written.
  const isDumb = facts.facts.kind === 'none';
  const isAccessible = call.flags['screen-reader'] === true || config.screenReader || isOn(environment['ACCESSIBLE']);
  const isPlain = isDumb || isAccessible;
  const onlyGrows = isAccessible && !isDumb;
  const isFullscreen = !isPlain && (call.flags['fullscreen'] === true || config.screen === 'fullscreen');
  const text = await loadAccelerator('text');
  const depth = call.io.color && !isDumb ? colorDepth(environment, true) : 'none';
  const first = createTheme(BUILT_IN_THEMES.dark, depth);
  const choice = new ThemeChoice(ctx.read(screenThemes), { wanted: config.theme, depth, isDark: true, first });
  const run = new ScreenRun(
    {
      call,
      ctx,
      text,
      watch,
      themes: choice,
      facts,
      isPlain,
      onlyGrows,
      isFullscreen,
      write: (sequence) => run.screen.say(sequence),
    },
    (onInput) => {
      const options: Omit<ScreenOptions, 'terminal'> = {
        text,
        facts,
        onInput,
        onError: (fault) => ctx.log.warn(`the screen: ${messageOf(fault)}`),
        onGone: () => run.leave(),
      };
      if (isDumb) return new LineScreen({ ...options, terminal: new LineTerminal(), takesLines: () => run.takesLines });
      const terminal = new ProcessTerminal();
      if (isFullscreen) return new FullScreen({ ...options, terminal, earlierRows: () => earlierRows(run) });
      return onlyGrows ? new AppendScreen({ ...options, terminal }) : new MainScreen({ ...options, terminal });
    },
  );
  const onFacts = async ({ background }: TerminalFacts) => {
    if (!background) return;
    await choice.setBackground(backgroundIsDark(background.red, background.green, background.blue));
    run.app.requestFrame();
  };
  run.screen.start();
  // One that is not here may be a file, which is found later.
  if (ctx.read(screenThemes).get(config.theme)) await run.useTheme(config.theme);
  const release = guardErrorOutput(
    (line) => run.app.notify(line, 'warning'),
    () => run.isHandedOver,
  );
  const leave = () => run.leave();
  call.signal.addEventListener('abort', leave, { once: true });
  call.onEnd(leave);
  try {
    const { attachTerminal, ...ui } = makeInterface(run);
    call.useInterface(isDumb || !attachTerminal ? ui : { ...ui, attachTerminal });
    // Where the terminal makes a signal of Ctrl-C, the screen takes it as the key that it is elsewhere.
    if (isDumb && call.io.handOver) await call.io.handOver(() => run.work());
    else await run.work();
    return EXIT.ok;
  } finally {
    call.signal.removeEventListener('abort', leave);
    release();
    run.signals.clearTitle();
    run.app.transcript.hurry();
    // Late answers of the terminal would be typed into the shell.
    await run.screen.settle();
    run.screen.stop({ keepLive: false });
    await run.close();
    await call.io.out(farewell(run.app.seated?.session, call.isPersistent));
  }
}

/** How to come back, once something was said. */
function farewell(session: Session | undefined, isPersistent: boolean): string {
  if (!session || !isPersistent || session.leafId === null) return '';
  return `Continue this session: tenon --resume ${session.id.slice(0, 8)}\n`;
}

function isOn(variable: string | undefined): boolean {
  return variable !== undefined && !['', '0', 'false', 'no'].includes(variable.toLowerCase());
}
