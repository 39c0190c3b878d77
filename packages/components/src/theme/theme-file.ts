/** Theme files: what they may hold, and what to say about one that is wrong. The form is pi's. */
import type { ThemeBackground, ThemeColor } from './theme.ts';

/** A colour: `#rrggbb`, a number of the 256-colour palette, a name of `vars`, or `''` for the terminal's own. */
export type ColorValue = string | number;

/** A theme as data. */
export interface ThemeFileLike {
  readonly name: string;
  /** Named colours that `colors` may refer to. */
  readonly vars?: Readonly<Record<string, ColorValue>>;
  readonly colors: Readonly<Record<string, ColorValue>>;
  /** Whether it is made for dark backgrounds; judged by its colours unless given. */
  readonly dark?: boolean;
}

/** What a check found: a theme, with roles that nothing here uses, or problems that say what to do. */
export type ThemeCheck =
  | { readonly theme: ThemeFileLike; readonly unusedRoles: readonly string[] }
  | { readonly problems: readonly string[] };

/** A theme's role takes the colour of the next one here when the file does not name it; the last has the terminal's own. */
const FALLBACKS: Readonly<Record<ThemeColor | ThemeBackground, ThemeColor | ThemeBackground | ''>> = {
  text: '',
  accent: 'text',
  border: 'muted',
  borderAccent: 'accent',
  borderMuted: 'border',
  success: 'text',
  error: 'text',
  warning: 'text',
  muted: 'text',
  dim: 'muted',
  thinkingText: 'muted',
  userMessageText: 'text',
  customMessageText: 'text',
  customMessageLabel: 'accent',
  toolTitle: 'text',
  toolOutput: 'muted',
  mdHeading: 'accent',
  mdLink: 'accent',
  mdLinkUrl: 'dim',
  mdCode: 'accent',
  mdCodeBlock: 'text',
  mdCodeBlockBorder: 'dim',
  mdQuote: 'muted',
  mdQuoteBorder: 'borderMuted',
  mdHr: 'borderMuted',
  mdListBullet: 'accent',
  toolDiffAdded: 'success',
  toolDiffRemoved: 'error',
  toolDiffContext: 'muted',
  syntaxComment: 'muted',
  syntaxKeyword: 'accent',
  syntaxFunction: 'text',
  syntaxVariable: 'text',
  syntaxString: 'success',
  syntaxNumber: 'warning',
  syntaxType: 'accent',
  syntaxOperator: 'text',
  syntaxPunctuation: 'text',
  thinkingOff: 'borderMuted',
  thinkingMinimal: 'thinkingOff',
  thinkingLow: 'thinkingMinimal',
  thinkingMedium: 'thinkingLow',
  thinkingHigh: 'thinkingMedium',
  thinkingXhigh: 'thinkingHigh',
  bashMode: 'warning',
  selectedBg: '',
  userMessageBg: '',
  customMessageBg: 'userMessageBg',
  toolPendingBg: '',
  toolSuccessBg: 'toolPendingBg',
  toolErrorBg: 'toolPendingBg',
};

/** All roles, text first. */
export const THEME_ROLES = Object.keys(FALLBACKS) as readonly (ThemeColor | ThemeBackground)[];

const HEX = /^#[0-9a-f]{6}$/i;

/** The colour of a role, after `vars` and fallbacks: `#rrggbb`, 0–255, or `''`. */
export function roleColor(file: ThemeFileLike, role: ThemeColor | ThemeBackground): ColorValue {
  for (let at: ThemeColor | ThemeBackground | '' = role; at !== ''; at = FALLBACKS[at]) {
    const value = Object.hasOwn(file.colors, at) ? resolve(file, file.colors[at]) : undefined;
    if (value !== undefined) return value;
  }
  return '';
}

/** Follows names of `vars`, which may name each other; nothing for a name that leads nowhere. */
function resolve(file: ThemeFileLike, value: unknown): ColorValue | undefined {
  const vars = file.vars ?? {};
  let at = value;
  for (let steps = 0; steps <= Object.keys(vars).length; steps++) {
    if (isColor(at)) return at;
    if (typeof at !== 'string' || !Object.hasOwn(vars, at)) return undefined;
    at = vars[at];
  }
  return undefined;
}

function isColor(value: unknown): value is ColorValue {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value <= 255;
  return value === '' || (typeof value === 'string' && HEX.test(value));
}

/** Checks what a theme file holds. */
export function checkThemeFile(value: unknown): ThemeCheck {
  if (!isRecord(value)) return { problems: ['The theme is not an object. Write { "name": …, "colors": { … } }.'] };
  const problems: string[] = [];
  const { name, vars, colors, dark } = value;
  if (typeof name !== 'string' || name === '')
    problems.push('"name" is missing. Add the name under which the theme is chosen.');
  if (dark !== undefined && typeof dark !== 'boolean') problems.push('"dark" must be true or false.');
  if (vars !== undefined && !isRecord(vars)) problems.push('"vars" must be an object of named colours.');
  if (!isRecord(colors))
    problems.push('"colors" is missing. Add an object with a colour for each role, such as "accent".');
  const known = { name: '', colors: {}, vars: isRecord(vars) ? vars : {} } as ThemeFileLike;
  const check = (path: string, color: unknown): void => {
    if (resolve(known, color) !== undefined) return;
    problems.push(
      `"${path}" is ${describe(color, known.vars ?? {})}. Use "#rrggbb", a number from 0 to 255, a name from "vars", or "".`,
    );
  };
  for (const [key, color] of Object.entries(known.vars ?? {})) check(`vars.${key}`, color);
  if (isRecord(colors)) for (const [role, color] of Object.entries(colors)) check(`colors.${role}`, color);
  if (problems.length > 0 || !isRecord(colors)) return { problems };
  const unusedRoles = Object.keys(colors).filter((role) => !Object.hasOwn(FALLBACKS, role));
  return { theme: value as unknown as ThemeFileLike, unusedRoles };
}

function describe(color: unknown, vars: Readonly<Record<string, ColorValue>>): string {
  if (typeof color === 'number') return `${color}, which is not a colour of the palette`;
  if (typeof color !== 'string') return `not a colour (${Array.isArray(color) ? 'a list' : typeof color})`;
  if (Object.hasOwn(vars, color)) return `"${color}", which leads to no colour`;
  return color.startsWith('#')
    ? `"${color}", which is not of the form #rrggbb`
    : `"${color}", which "vars" does not have`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
