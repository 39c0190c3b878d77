/** How many colours the terminal has, by what the environment says. */

/** Colours that can be written. */
export type ColorDepth = 'none' | '16' | '256' | 'truecolor';

const FORCED: Readonly<Record<string, ColorDepth>> = {
  '0': 'none',
  false: 'none',
  '1': '16',
  '2': '256',
  '3': 'truecolor',
};
const TRUECOLOR_PROGRAMS = new Set([
  'iTerm.app',
  'WezTerm',
  'vscode',
  'ghostty',
  'Hyper',
  'rio',
  'WarpTerminal',
  'mintty',
  'Tabby',
]);
const TRUECOLOR_TERM = /(?:-direct|^xterm-(?:kitty|ghostty)|^(?:alacritty|foot|wezterm|contour|rio)(?:-|$)|truecolor)/;

/** The depth for an output; `NO_COLOR` beats all but `FORCE_COLOR`, which is the more deliberate of the two. */
export function colorDepth(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): ColorDepth {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') {
    const depth = FORCED[forced.toLowerCase()];
    if (depth) return depth;
    const found = terminalDepth(env);
    return found === 'none' ? '16' : found;
  }
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return 'none';
  return isTTY ? terminalDepth(env) : 'none';
}

function terminalDepth(env: Readonly<Record<string, string | undefined>>): ColorDepth {
  const term = (env['TERM'] ?? '').toLowerCase();
  if (term === 'dumb') return 'none';
  const claim = (env['COLORTERM'] ?? '').toLowerCase();
  if (claim === 'truecolor' || claim === '24bit') return 'truecolor';
  if (TRUECOLOR_TERM.test(term) || env['WT_SESSION']) return 'truecolor';
  const program = env['TERM_PROGRAM'] ?? '';
  // Inside these the outer program's name may still be in the environment, and TERM tells what passes through.
  const multiplexed = /^(?:screen|tmux)/.test(term);
  if (!multiplexed && TRUECOLOR_PROGRAMS.has(program)) return 'truecolor';
  if (term.includes('256color') || program === 'Apple_Terminal') return '256';
  if (multiplexed && program === 'tmux') return '256';
  // Without TERM this is a Windows console, which has had 24-bit colours since 2017, or nothing that we know.
  if (term === '') return env['OS'] === 'Windows_NT' ? 'truecolor' : '16';
  return '16';
}
