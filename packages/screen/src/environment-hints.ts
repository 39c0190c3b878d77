/** What the environment says about the terminal, before it has answered anything. */

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is known without asking. */
export interface EnvironmentHints {
  /** The terminal's name in small letters, where its variables say it: `kitty`, `wezterm`, `iterm2`, `vscode`… */
  readonly name?: string;
  readonly version?: string;
  /** A program between us and the terminal. */
  readonly multiplexer?: 'tmux' | 'screen';
  /** The terminal is on another machine. */
  readonly isRemote: boolean;
  /** `none`: no sequences at all. `console`: Linux's own, which prints what it does not know. */
  readonly kind: 'full' | 'console' | 'none';
  /** The background is dark, by `COLORFGBG`. */
  readonly isDark?: boolean;
}

/** Names that terminals give themselves in `TERM_PROGRAM`, as one word. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'iterm.app': 'iterm2',
  apple_terminal: 'apple-terminal',
  warpterminal: 'warp',
};
const CONSOLES = new Set(['linux', 'vt100', 'vt102', 'vt220', 'cons25', 'ansi', 'sun']);

/** Reads the hints of an environment; `platform` is Node's name of the system. */
export function environmentHints(environment: Environment, platform: string = process.platform): EnvironmentHints {
  const term = environment['TERM'] ?? '';
  const multiplexer = multiplexerOf(environment, term);
  const name = nameOf(environment, term);
  const version = name === undefined || name === 'tmux' ? undefined : environment['TERM_PROGRAM_VERSION'];
  const isDark = darkByColours(environment['COLORFGBG']);
  return {
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(multiplexer === undefined ? {} : { multiplexer }),
    ...(isDark === undefined ? {} : { isDark }),
    isRemote: Boolean(environment['SSH_TTY'] ?? environment['SSH_CONNECTION']),
    kind: kindOf(term, platform),
  };
}

function kindOf(term: string, platform: string): EnvironmentHints['kind'] {
  if (term === 'dumb') return 'none';
  // Windows sets no TERM and knows sequences all the same.
  if (term === '') return platform === 'win32' ? 'full' : 'none';
  return CONSOLES.has(term) ? 'console' : 'full';
}

function multiplexerOf(environment: Environment, term: string): EnvironmentHints['multiplexer'] {
  if (environment['TMUX'] || term.startsWith('tmux')) return 'tmux';
  return environment['STY'] || term.startsWith('screen') ? 'screen' : undefined;
}

function nameOf(environment: Environment, term: string): string | undefined {
  // Inside tmux the variables of the terminal where it was started may be stale: it says its own name.
  const program = environment['TERM_PROGRAM']?.toLowerCase();
  if (program) return PROGRAMS[program] ?? program;
  if (environment['KITTY_WINDOW_ID'] || term.includes('kitty')) return 'kitty';
  if (environment['WT_SESSION']) return 'windows-terminal';
  if (environment['WEZTERM_PANE']) return 'wezterm';
  if (environment['GHOSTTY_RESOURCES_DIR'] || term.includes('ghostty')) return 'ghostty';
  if (environment['KONSOLE_VERSION']) return 'konsole';
  if (environment['VTE_VERSION']) return 'vte';
  if (environment['TERMINAL_EMULATOR'] === 'JetBrains-JediTerm') return 'jetbrains';
  if (term.startsWith('foot')) return 'foot';
  if (term.startsWith('rxvt')) return 'rxvt';
  return term.startsWith('alacritty') ? 'alacritty' : undefined;
}

/** `15;0` is white on black. */
function darkByColours(colours: string | undefined): boolean | undefined {
  const background = /;(\d+)$/.exec(colours ?? '')?.[1];
  if (background === undefined) return undefined;
  return Number(background) < 7 || Number(background) === 8;
}
