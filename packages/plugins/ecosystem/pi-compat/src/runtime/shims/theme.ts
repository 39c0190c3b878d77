/** The colours of the screen, as pi's extensions use them. Without a screen every style gives its text back. */
import type { ScreenTheme } from '@tenon/host';

const plainly = (text?: unknown): string => String(text ?? '');

/** What `ctx.ui.theme` and the arguments `theme` of renderers are. */
export type PiTheme = ReturnType<typeof createTheme>;

/** Makes a theme that always has the colours of the moment. */
export function createTheme(current: () => ScreenTheme | undefined) {
  const opening = (role: unknown): string => current()?.colors[String(role)] ?? '';
  const colored = (role: unknown, text: unknown, close: string): string => {
    const open = opening(role);
    return open === '' ? plainly(text) : `${open}${plainly(text)}${close}`;
  };
  const fg = (role: unknown, text?: unknown): string => colored(role, text, '\u001b[39m');
  const bg = (role: unknown, text?: unknown): string => colored(role, text, '\u001b[49m');
  const styled =
    (open: number, close: number) =>
    (text?: unknown): string =>
      current() ? `\u001b[${open}m${plainly(text)}\u001b[${close}m` : plainly(text);
  return {
    get name(): string {
      return current()?.name ?? 'plain';
    },
    fg,
    bg,
    bold: styled(1, 22),
    dim: styled(2, 22),
    italic: styled(3, 23),
    underline: styled(4, 24),
    inverse: styled(7, 27),
    strikethrough: styled(9, 29),
    getFgAnsi: (role: unknown): string => opening(role) || (current() ? '\u001b[39m' : ''),
    getBgAnsi: (role: unknown): string => opening(role) || (current() ? '\u001b[49m' : ''),
    getColorMode: (): string => (current() ? 'truecolor' : 'none'),
    getThinkingBorderColor: (level: unknown) => {
      const name = String(level);
      return (text: unknown): string => fg(`thinking${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, text);
    },
    getBashModeBorderColor: () => (text: unknown) => fg('bashMode', text),
    styledSymbol: (_name: unknown, text?: unknown): string => plainly(text),
    symbol: plainly,
    sep: { dot: ' · ', slash: '/', pipe: ' | ', powerline: '>', block: '|' },
    nav: { expand: '>', collapse: 'v', cursor: '>', back: '<', selected: '*' },
    checkbox: { checked: '[x]', unchecked: '[ ]' },
    status: {
      success: '+',
      error: 'x',
      warning: '!',
      info: 'i',
      pending: '…',
      running: '…',
      disabled: '-',
      enabled: '+',
    },
    tree: { branch: '├─', last: '└─', vertical: '│', horizontal: '─', hook: '└' },
    format: { bullet: '•', dash: '–', bracketLeft: '[', bracketRight: ']' },
    spinnerFrames: ['-', '\\', '|', '/'],
  };
}

/** The themes that pi's components ask for, made of one theme. */
export function componentThemes(theme: PiTheme) {
  const color =
    (role: string) =>
    (text?: unknown): string =>
      theme.fg(role, text);
  const list = () => ({
    selectedPrefix: color('accent'),
    selectedText: color('accent'),
    description: color('muted'),
    scrollInfo: color('muted'),
    noMatch: color('muted'),
  });
  return {
    getMarkdownTheme: () => ({
      heading: color('mdHeading'),
      link: color('mdLink'),
      linkUrl: color('mdLinkUrl'),
      code: color('mdCode'),
      codeBlock: color('mdCodeBlock'),
      codeBlockBorder: color('mdCodeBlockBorder'),
      quote: color('mdQuote'),
      quoteBorder: color('mdQuoteBorder'),
      hr: color('mdHr'),
      listBullet: color('mdListBullet'),
      bold: theme.bold,
      italic: theme.italic,
      underline: theme.underline,
      strikethrough: theme.strikethrough,
      highlightCode: (code: string) => code.split('\n').map(color('mdCodeBlock')),
    }),
    getSelectListTheme: list,
    getSettingsListTheme: () => ({
      label: (text: string, isChosen: boolean) => (isChosen ? theme.fg('accent', text) : text),
      value: (text: string, isChosen: boolean) => theme.fg(isChosen ? 'accent' : 'muted', text),
      description: color('dim'),
      cursor: theme.fg('accent', '→ '),
      hint: color('dim'),
    }),
    getEditorTheme: () => ({ borderColor: color('border'), selectList: list() }),
  };
}
