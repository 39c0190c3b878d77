/** Blocks as each service shows them: nothing in them can ping somebody, format, link or end its own code block. */
import type { Block } from '../channel.ts';

/** What Discord takes for formatting. */
const DISCORD_MARKS = /[\\*_~`|>#[\]()<+=-]/g;
/** An address without anything that could format or hide where it leads. */
const ADDRESS = /(https?:\/\/[\w.~:/?@!$&',;=%#-]*[\w/=-])/;
/** Shown as nothing, and ends what a service would read as one word. */
const GAP = '\u200b';
const JOINER = '\u2060';

/** Text for Discord. Addresses stay as they are, so that they can be followed. */
export function discordText(text: string): string {
  return text
    .split(ADDRESS)
    .map((part, index) => (index % 2 === 1 ? part : discordProse(part)))
    .join('');
}

function discordProse(text: string): string {
  return text
    .replace(DISCORD_MARKS, String.raw`\$&`)
    .replace(/^(\s*\d+)([.)])/gm, String.raw`$1\$2`)
    .replace(/@(?=everyone|here)/gi, `@${GAP}`);
}

/** Blocks for Discord, as Markdown. */
export function discordMarkdown(blocks: readonly Block[]): string {
  return blocks.map(({ kind, text }) => (kind === 'code' ? fenced(text) : discordText(text))).join('\n');
}

/** Code between fences. Three backticks of the code itself get gaps between them: there is no other way to write them. */
function fenced(text: string): string {
  const content = text.replace(/`{3,}/g, (run) => [...run].join(GAP));
  return `\`\`\`\n${content}${content.endsWith('\n') ? '' : '\n'}\`\`\``;
}

/** A part of a text with a meaning, as Telegram writes it; places count UTF-16 units. */
export interface TelegramEntity {
  readonly type: 'pre';
  readonly offset: number;
  readonly length: number;
}

/** Blocks for Telegram: plain text, and where the code is. Telegram parses nothing then, but names behind an @. */
export function telegramText(blocks: readonly Block[]): { text: string; entities: TelegramEntity[] } {
  let text = '';
  const entities: TelegramEntity[] = [];
  for (const block of blocks) {
    if (text !== '') text += '\n';
    const own = block.kind === 'code' ? block.text : block.text.replace(/@(?=\w)/g, `@${JOINER}`);
    if (block.kind === 'code') entities.push({ type: 'pre', offset: text.length, length: own.length });
    text += own;
  }
  return { text, entities };
}

/** Text for the parts of Slack's API that know `<!channel>` and its like. */
export function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Blocks for Slack, as rich text: nothing in its texts is parsed. */
export function slackRichText(blocks: readonly Block[]): Record<string, unknown> {
  return {
    type: 'rich_text',
    elements: blocks.map(({ kind, text }) => ({
      type: kind === 'code' ? 'rich_text_preformatted' : 'rich_text_section',
      elements: [{ type: 'text', text }],
    })),
  };
}

/** Blocks as plain text. */
export function plainBlocks(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n');
}
