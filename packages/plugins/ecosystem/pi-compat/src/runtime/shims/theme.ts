/** A theme without colours: whoever shows the text decides how it looks. Every style gives its text back. */
const asIs = (_style: unknown, text?: unknown): string => String(text ?? '');
const plainly = (text?: unknown): string => String(text ?? '');

/** What `ctx.ui.theme` and the arguments `theme` of renderers are. */
export const theme = {
  name: 'plain',
  fg: asIs,
  bg: asIs,
  bold: plainly,
  dim: plainly,
  italic: plainly,
  underline: plainly,
  inverse: plainly,
  strikethrough: plainly,
  getFgAnsi: () => '',
  getBgAnsi: () => '',
  getColorMode: () => 'none',
  getThinkingBorderColor: () => plainly,
  getBashModeBorderColor: () => plainly,
  styledSymbol: asIs,
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

/** A theme for parts that ask for one by its functions: every function gives its text back. */
export function functionTheme(): Record<string, unknown> {
  return new Proxy({}, { get: (_target, name) => (typeof name === 'string' ? plainly : undefined) });
}
