import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backgroundIsDark,
  BUILT_IN_THEMES,
  checkThemeFile,
  colorDepth,
  contrast,
  createTheme,
  parseColorReport,
  type Rgb,
  roleColor,
  THEME_ROLES,
  type ThemeBackground,
  type ThemeColor,
  toRgb,
} from '../src/index.ts';

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** Roles that are lines, not text. */
const LINES = /^(?:border|thinking(?!Text)|mdHr|mdQuoteBorder|mdCodeBlockBorder)/;

const textRoles = THEME_ROLES.filter((role) => !role.endsWith('Bg') && !LINES.test(role)) as ThemeColor[];
const backgrounds = THEME_ROLES.filter((role) => role.endsWith('Bg')) as ThemeBackground[];

describe('built-in themes', () => {
  it.each([
    ['dark', BLACK],
    ['light', WHITE],
  ] as const)('%s: text has a contrast of 4.5 on its background, and on its own backgrounds', (name, screen) => {
    const file = BUILT_IN_THEMES[name];
    for (const role of textRoles) {
      const color = toRgb(roleColor(file, role)) ?? (name === 'dark' ? WHITE : BLACK);
      expect(contrast(color, screen), role).toBeGreaterThanOrEqual(4.5);
      for (const behind of backgrounds) {
        expect(
          contrast(color, toRgb(roleColor(file, behind)) ?? screen),
          `${role} on ${behind}`,
        ).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  it('name a colour for every role, and pass their own check', () => {
    for (const file of [BUILT_IN_THEMES.dark, BUILT_IN_THEMES.light]) {
      expect(THEME_ROLES.filter((role) => !Object.hasOwn(file.colors, role))).toEqual([]);
    }
    for (const file of Object.values(BUILT_IN_THEMES))
      expect(checkThemeFile(file)).toEqual({ theme: file, unusedRoles: [] });
  });

  it('ansi uses the 16 colours only, at every depth', () => {
    for (const depth of ['16', '256', 'truecolor'] as const) {
      const theme = createTheme(BUILT_IN_THEMES.ansi, depth);
      // oxlint-disable-next-line no-control-regex -- styles begin with an escape
      for (const role of textRoles) expect(theme.fg(role, 'x')).toMatch(/^(?:x|\x1b\[(?:3[0-7]|9[0-7])mx\x1b\[39m)$/);
    }
  });

  it('know for which background they are made', () => {
    expect(createTheme(BUILT_IN_THEMES.dark, '256').isDark).toBe(true);
    expect(createTheme(BUILT_IN_THEMES.light, '256').isDark).toBe(false);
    expect(createTheme({ name: 'x', colors: { text: '#202020' } }, '256').isDark).toBe(false);
    expect(createTheme({ name: 'x', colors: { userMessageBg: 236 } }, '256').isDark).toBe(true);
  });
});

describe('createTheme', () => {
  const file = {
    name: 'own',
    vars: { leaf: '#40c060', again: 'leaf' },
    colors: { accent: 'again', error: 196, text: '' },
  };

  it('writes the colour in the form that the depth has', () => {
    expect(createTheme(file, 'truecolor').fg('accent', 'x')).toBe('\x1b[38;2;64;192;96mx\x1b[39m');
    expect(createTheme(file, '256').fg('accent', 'x')).toBe('\x1b[38;5;71mx\x1b[39m');
    expect(createTheme(file, '16').fg('accent', 'x')).toBe('\x1b[32mx\x1b[39m');
    expect(createTheme(file, '256').fg('error', 'x')).toBe('\x1b[38;5;196mx\x1b[39m');
    expect(createTheme(file, '16').fg('error', 'x')).toBe('\x1b[91mx\x1b[39m');
  });

  it('gives text back as it is where there are no colours', () => {
    const theme = createTheme(BUILT_IN_THEMES.dark, 'none');
    for (const role of textRoles) expect(theme.fg(role, 'x')).toBe('x');
    for (const role of backgrounds) expect(theme.bg(role, 'x')).toBe('x');
    expect([theme.bold('x'), theme.dim('x'), theme.italic('x'), theme.inverse('x')]).toEqual(['x', 'x', 'x', 'x']);
  });

  it('takes a related colour for a role that the file does not name', () => {
    const theme = createTheme(file, 'truecolor');
    expect(theme.fg('mdHeading', 'x')).toBe(theme.fg('accent', 'x'));
    expect(theme.fg('toolDiffRemoved', 'x')).toBe(theme.fg('error', 'x'));
    expect(theme.fg('muted', 'x')).toBe('x');
  });

  it('shows a selection even without a colour for it', () => {
    expect(createTheme(file, '16').bg('selectedBg', 'x')).toBe('\x1b[7mx\x1b[27m');
  });

  it('keeps the hue of a colour among 16', () => {
    const red = createTheme({ name: 'x', colors: { accent: '#b05050' } }, '16').fg('accent', 'x');
    expect(red).toBe('\x1b[31mx\x1b[39m');
    expect(createTheme({ name: 'x', colors: { accent: '#808080' } }, '16').fg('accent', 'x')).toBe('\x1b[90mx\x1b[39m');
  });

  it('finds the nearest of the 240 fixed colours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 255 }), (index) => {
        const [red, green, blue] = toRgb(index) ?? BLACK;
        const hex = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
        const painted = createTheme({ name: 'x', colors: { accent: hex } }, '256').fg('accent', 'x');
        const chosen = Number(/38;5;(\d+)/.exec(painted)?.[1]);
        expect(toRgb(chosen)).toEqual(toRgb(index));
      }),
    );
  });
});

describe('checkThemeFile', () => {
  it('says for each wrong colour where it is and what to write', () => {
    const check = checkThemeFile({
      name: 'x',
      vars: { loop: 'loop', good: '#112233' },
      colors: { accent: 'nothing', error: 300, text: '#12', muted: 'good', dim: null, later: '' },
    });
    expect(check).toEqual({
      problems: [
        '"vars.loop" is "loop", which leads to no colour. Use "#rrggbb", a number from 0 to 255, a name from "vars", or "".',
        '"colors.accent" is "nothing", which "vars" does not have. Use "#rrggbb", a number from 0 to 255, a name from "vars", or "".',
        '"colors.error" is 300, which is not a colour of the palette. Use "#rrggbb", a number from 0 to 255, a name from "vars", or "".',
        '"colors.text" is "#12", which is not of the form #rrggbb. Use "#rrggbb", a number from 0 to 255, a name from "vars", or "".',
        '"colors.dim" is not a colour (object). Use "#rrggbb", a number from 0 to 255, a name from "vars", or "".',
      ],
    });
  });

  it('says what is missing', () => {
    expect(checkThemeFile([])).toEqual({ problems: [expect.stringContaining('not an object')] });
    expect(checkThemeFile({})).toEqual({
      problems: [expect.stringContaining('"name"'), expect.stringContaining('"colors"')],
    });
  });

  it('names roles that nothing uses, and takes the file all the same', () => {
    const file = { name: 'x', colors: { accent: 1, newRole: 2 } };
    expect(checkThemeFile(file)).toEqual({ theme: file, unusedRoles: ['newRole'] });
  });

  it('never throws, and a file that passes makes a theme', () => {
    fc.assert(
      fc.property(fc.anything(), fc.dictionary(fc.string(), fc.anything()), (value, colors) => {
        checkThemeFile(value);
        const check = checkThemeFile({ name: 'x', vars: colors, colors });
        if ('theme' in check) createTheme(check.theme, 'truecolor').fg('text', 'x');
      }),
    );
  });
});

describe('colorDepth', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, true, '256'],
    [{ TERM: 'xterm-256color' }, false, 'none'],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, true, 'truecolor'],
    [{ TERM: 'xterm', COLORTERM: '24bit' }, true, 'truecolor'],
    [{ TERM: 'xterm-direct' }, true, 'truecolor'],
    [{ TERM: 'xterm-kitty' }, true, 'truecolor'],
    [{ TERM: 'xterm' }, true, '16'],
    [{ TERM: 'dumb', COLORTERM: 'truecolor' }, true, 'none'],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, true, 'none'],
    [{ TERM: 'xterm-256color', NO_COLOR: '' }, true, '256'],
    [{ NO_COLOR: '1', FORCE_COLOR: '2' }, false, '256'],
    [{ FORCE_COLOR: '0', TERM: 'xterm-256color' }, true, 'none'],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, false, 'truecolor'],
    [{ FORCE_COLOR: 'true', TERM: 'dumb' }, false, '16'],
    [{ FORCE_COLOR: 'true', TERM: 'xterm-256color' }, false, '256'],
    [{ WT_SESSION: 'x' }, true, 'truecolor'],
    [{ TERM_PROGRAM: 'iTerm.app', TERM: 'xterm-256color' }, true, 'truecolor'],
    [{ TERM_PROGRAM: 'Apple_Terminal', TERM: 'xterm-256color' }, true, '256'],
    [{ TERM_PROGRAM: 'vscode', TERM: 'screen-256color' }, true, '256'],
    [{ OS: 'Windows_NT' }, true, 'truecolor'],
    [{}, true, '16'],
  ] as const)('%o, terminal %s: %s', (env, isTTY, depth) => {
    expect(colorDepth(env, isTTY)).toBe(depth);
  });
});

describe('the background', () => {
  it.each([
    ['\x1b]11;rgb:ffff/ffff/ffff\x07', 'background', [255, 255, 255]],
    ['\x1b]11;rgb:1e1e/2020/3030\x1b\\', 'background', [30, 32, 48]],
    ['\x1b]10;rgb:f/8/0\x07', 'foreground', [255, 136, 0]],
    ['\x1b]11;rgb:12/34/56\x07', 'background', [18, 52, 86]],
    ['\x1b]11;rgba:0000/0000/0000/ffff\x07', 'background', [0, 0, 0]],
    ['\x1b]11;#fff\x07', 'background', [255, 255, 255]],
    ['\x1b]11;#102030\x07', 'background', [16, 32, 48]],
    ['\x9d11;rgb:00/00/ff\x9c', 'background', [0, 0, 255]],
  ])('%j is read', (report, which, color) => {
    expect(parseColorReport(report)).toEqual({ which, color });
  });

  it.each([
    '',
    '\x1b]12;rgb:00/00/00\x07',
    '\x1b]11;?\x07',
    '\x1b]11;rgb:00/00\x07',
    '\x1b]11;rgb:zz/00/00\x07',
    'rgb:00/00/00',
  ])('%j is no answer', (report) => {
    expect(parseColorReport(report)).toBeUndefined();
  });

  it('is dark when light text reads better on it', () => {
    expect([backgroundIsDark(0, 0, 0), backgroundIsDark(40, 44, 52), backgroundIsDark(0, 0, 255)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([backgroundIsDark(255, 255, 255), backgroundIsDark(253, 246, 227), backgroundIsDark(0, 255, 0)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
