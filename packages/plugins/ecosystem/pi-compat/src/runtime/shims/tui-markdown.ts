/** Markdown for components of extensions: what notes, plans and answers need. Tables are shown as they are written. */
import { wrapTextWithAnsi } from './text-width.ts';
import { type Style, Text } from './tui-basics.ts';

type Theme = Readonly<Record<string, unknown>>;

/** Markdown, in the styles of a theme. */
export class Markdown extends Text {
  readonly #style: (name: string) => Style;
  readonly #highlight: ((code: string, language?: string) => unknown) | undefined;
  readonly #text: { readonly color?: Style; readonly bold?: boolean; readonly italic?: boolean };
  constructor(
    text = '',
    paddingX = 1,
    paddingY = 1,
    theme: Theme = {},
    style: {
      readonly color?: Style;
      readonly bgColor?: Style;
      readonly bold?: boolean;
      readonly italic?: boolean;
    } = {},
  ) {
    super(text, paddingX, paddingY, style?.bgColor);
    this.#style = (name) => (typeof theme?.[name] === 'function' ? (theme[name] as Style) : String);
    const highlight = theme?.['highlightCode'];
    this.#highlight = typeof highlight === 'function' ? (highlight as (code: string) => unknown) : undefined;
    this.#text = style ?? {};
  }

  protected override lines(width: number): string[] {
    const rows: string[] = [];
    let fence: { readonly mark: string; readonly language: string; readonly code: string[] } | undefined;
    for (const line of this.getText().replaceAll('\r\n', '\n').split('\n')) {
      const mark = /^\s{0,3}(`{3,}|~{3,})\s*(\S*)/.exec(line);
      if (fence) {
        if (mark?.[1]?.startsWith(fence.mark) === true) {
          rows.push(...this.#code(fence.code, fence.language, width));
          fence = undefined;
        } else fence.code.push(line);
      } else if (mark) fence = { mark: mark[1] ?? '```', language: mark[2] ?? '', code: [] };
      else rows.push(...this.#block(line, width));
    }
    // A block that is still being written has no end yet.
    if (fence) rows.push(...this.#code(fence.code, fence.language, width));
    return rows;
  }

  #block(line: string, width: number): string[] {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (heading)
      return wrapTextWithAnsi(this.#style('heading')(this.#style('bold')(this.#inline(heading[2] ?? ''))), width);
    if (/^\s{0,3}(?:[-*_]\s*){3,}$/.test(line)) return [this.#style('hr')('─'.repeat(Math.min(width, 80)))];
    const quote = /^\s{0,3}>\s?(.*)$/.exec(line);
    if (quote) {
      const border = this.#style('quoteBorder')('│ ');
      const inside = wrapTextWithAnsi(this.#style('quote')(this.#inline(quote[1] ?? '')), Math.max(1, width - 2));
      return inside.map((row) => border + row);
    }
    const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (item) {
      const [, indent = '', bullet = '-', text = ''] = item;
      const sign = /^\d/.test(bullet) ? bullet : '•';
      const hanging = ' '.repeat(indent.length + sign.length + 1);
      return wrapTextWithAnsi(this.#plain(this.#inline(text)), Math.max(1, width - hanging.length)).map((row, index) =>
        index === 0 ? `${indent}${this.#style('listBullet')(sign)} ${row}` : hanging + row,
      );
    }
    return line.trim() === '' ? [''] : wrapTextWithAnsi(this.#plain(this.#inline(line)), width);
  }

  #code(code: readonly string[], language: string, width: number): string[] {
    const border = this.#style('codeBlockBorder');
    const lit = this.#highlight?.(code.join('\n'), language === '' ? undefined : language);
    const lines = Array.isArray(lit) ? lit.map(String) : code.map((line) => this.#style('codeBlock')(line));
    return [
      border(`\`\`\`${language}`),
      ...lines.flatMap((line) => wrapTextWithAnsi(`  ${line}`, width)),
      border('```'),
    ];
  }

  #plain(text: string): string {
    const { color, bold, italic } = this.#text;
    const heavy = bold === true ? this.#style('bold')(text) : text;
    const slanted = italic === true ? this.#style('italic')(heavy) : heavy;
    return color ? color(slanted) : slanted;
  }

  #inline(text: string): string {
    return text.replaceAll(
      /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|~~(.+?)~~|\*([^*\s](?:[^*]*[^*\s])?)\*|\[([^\]]+)\]\(([^)\s]+)[^)]*\)/g,
      (whole, _ticks, code, strong, strong2, struck, slanted, label, url) => {
        if (code !== undefined) return this.#style('code')(String(code).trim());
        if (strong !== undefined || strong2 !== undefined)
          return this.#style('bold')(this.#inline(String(strong ?? strong2)));
        if (struck !== undefined) return this.#style('strikethrough')(String(struck));
        if (slanted !== undefined) return this.#style('italic')(String(slanted));
        if (label === undefined) return String(whole);
        const shown = this.#style('link')(String(label));
        return label === url ? shown : `${shown}${this.#style('linkUrl')(` (${String(url)})`)}`;
      },
    );
  }
}
