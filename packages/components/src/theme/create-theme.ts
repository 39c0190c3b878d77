/** Makes a theme out of a file for the colours that the terminal has. */
import type { ColorDepth } from './color-depth.ts';
import { backgroundIsDark, nearest16, nearest256, toRgb } from './palette.ts';
import { type ColorValue, roleColor, THEME_ROLES, type ThemeFileLike } from './theme-file.ts';
import type { Theme, ThemeBackground, ThemeColor } from './theme.ts';

type Paint = (text: string) => string;

const plain: Paint = (text) => text;

/** The theme for a depth; roles that the file does not name take a related colour, or the terminal's own. */
export function createTheme(file: ThemeFileLike, depth: ColorDepth): Theme {
  const paints = new Map<string, Paint>();
  for (const role of THEME_ROLES) paints.set(role, rolePaint(file, role, depth));
  const styled = (on: number, off: number): Paint => (depth === 'none' ? plain : sgr(String(on), String(off)));
  const inverse = styled(7, 27);
  // A selection that cannot be seen is worse than one in other colours than the theme's.
  if (paints.get('selectedBg') === plain) paints.set('selectedBg', inverse);
  return {
    name: file.name,
    isDark: file.dark ?? madeForDark(file),
    fg: (color, text) => (paints.get(color) ?? plain)(text),
    bg: (color, text) => (paints.get(color) ?? plain)(text),
    bold: styled(1, 22),
    dim: styled(2, 22),
    italic: styled(3, 23),
    underline: styled(4, 24),
    inverse,
    strikethrough: styled(9, 29),
  };
}

function rolePaint(file: ThemeFileLike, role: ThemeColor | ThemeBackground, depth: ColorDepth): Paint {
  const behind = role.endsWith('Bg');
  const code = colorCode(roleColor(file, role), depth, behind);
  return code === '' ? plain : sgr(code, behind ? '49' : '39');
}

function sgr(on: string, off: string): Paint {
  const [open, close] = [`\x1b[${on}m`, `\x1b[${off}m`];
  return (text) => (text === '' ? '' : open + text + close);
}

/** The parameters that switch a colour on; nothing for the terminal's own. */
function colorCode(color: ColorValue, depth: ColorDepth, behind: boolean): string {
  const rgb = toRgb(color);
  if (!rgb || depth === 'none') return '';
  const base = behind ? 48 : 38;
  if (depth === 'truecolor' && typeof color === 'string') return `${base};2;${rgb.join(';')}`;
  if (typeof color === 'number' && color < 16) return firstColors(color, behind);
  if (depth === '16') return firstColors(nearest16(rgb), behind);
  return `${base};5;${typeof color === 'number' ? color : nearest256(rgb)}`;
}

function firstColors(index: number, behind: boolean): string {
  return String((index < 8 ? 30 + index : 82 + index) + (behind ? 10 : 0));
}

/** Judges by a background of the theme, then by its text, then by its name. */
function madeForDark(file: ThemeFileLike): boolean {
  for (const role of ['userMessageBg', 'toolPendingBg', 'selectedBg'] as const) {
    const rgb = toRgb(roleColor(file, role));
    if (rgb) return backgroundIsDark(...rgb);
  }
  const text = toRgb(roleColor(file, 'text'));
  if (text) return !backgroundIsDark(...text);
  return !/light|day|latte/i.test(file.name);
}
