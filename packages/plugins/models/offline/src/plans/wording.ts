/** How answers are put. */

/** "1 file", "2 files". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** "a, b and c". */
export function listed(items: readonly string[]): string {
  if (items.length <= 1) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

/** "`a`". */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A block of code, cut to a number of lines. */
export function block(text: string, language = '', maxLines = 200): string {
  const lines = text.replace(/\s+$/, '').split('\n');
  const shown = lines.slice(0, maxLines);
  const rest = lines.length - shown.length;
  const fence = text.includes('```') ? '````' : '```';
  return [`${fence}${language}`, ...shown, fence, ...(rest > 0 ? [`(${count(rest, 'more line')})`] : [])].join('\n');
}

/** Lines of a list, cut to a number of items. */
export function bullets(items: readonly string[], max = 30): string[] {
  const shown = items.slice(0, max).map((item) => `- ${item}`);
  return items.length > max ? [...shown, `- … and ${items.length - max} more`] : shown;
}

/** Where a request looks: "in `src`", or nothing for the whole project. */
export function where(paths: readonly string[]): string {
  return paths.length > 0 ? ` in ${listed(paths.map(code))}` : '';
}
