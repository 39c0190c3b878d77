export { BUILT_IN_THEMES } from './built-in.ts';
export { type ColorDepth, colorDepth } from './color-depth.ts';
export { type ColorReport, parseColorReport } from './color-report.ts';
export { createTheme } from './create-theme.ts';
export { backgroundIsDark, contrast, type Rgb, toRgb } from './palette.ts';
export {
  checkThemeFile,
  type ColorValue,
  roleColor,
  THEME_ROLES,
  type ThemeCheck,
  type ThemeFileLike,
} from './theme-file.ts';
export type { Theme, ThemeBackground, ThemeColor } from './theme.ts';
