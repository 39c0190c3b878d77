/** Texts in quotes, brackets and bars are not looked into. */
const TEXTS = String.raw`"[^"]*"|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|\|[^|]*\|`;
/** Longest first. `--`, `-.` and `==` open an arrow with a text in it, which ends in one of the others. */
const ARROWS = String.raw`<?-{2,}>|<?={2,}>|<?-?\.+->|-{3,}|={3,}|-\.+-|--[xo](?=\s)|<?--|<?-\.|<?==`;
/** A text between bars belongs to the arrow before it, and must follow it at once. */
const TOKENS = new RegExp(`${TEXTS}|(?<arrow>${ARROWS})(?:\\s*(?<label>\\|[^|]*\\|))?|;[ \\t]*`, 'g');
/** Lines that hold no arrows, but may hold dashes. */
const OTHER_LINE = /^\s*(?:%%|subgraph\b|style\b|classDef\b|class\b|linkStyle\b|click\b|direction\b|---)/;

/**
 * Mermaid takes `;` for a line break in flowcharts, arrows of any length, and arrows without blanks around them. The renderer
 * takes none of these: it would draw `A-->B` as a box named "A--".
 */
export function spacedOut(source: string): string {
  if (!/^(?:graph|flowchart)\b/m.test(source)) return source;
  return source
    .split('\n')
    .map((line) => (OTHER_LINE.test(line) ? line : line.replaceAll(TOKENS, spaced)))
    .join('\n');
}

function spaced(token: string, ...more: unknown[]): string {
  const { arrow, label = '' } = more.at(-1) as { readonly arrow?: string; readonly label?: string };
  if (arrow !== undefined) return ` ${plainArrow(arrow)}${label} `;
  return token.startsWith(';') ? '\n' : token;
}

/** How long an arrow is and whether it ends in a circle or a cross cannot be drawn. */
function plainArrow(arrow: string): string {
  return arrow
    .replace(/[xo]$/, '-')
    .replace(/-{3,}>/, '-->')
    .replace(/={3,}>/, '==>')
    .replace(/-{4,}/, '---')
    .replace(/={4,}/, '===')
    .replace(/\.{2,}/, '.');
}
