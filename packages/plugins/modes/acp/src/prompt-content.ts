/** From the content blocks of an editor to a prompt. */
import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk';
import type { ImageContent } from '@tenon/models/api';
import type { FileMentionMessage } from '@tenon/sessions/api';
import { errors } from './errors.ts';

type MentionedFile = FileMentionMessage['files'][number];

/** A prompt with what goes with it. */
export interface ReadPrompt {
  /** What the user typed, with links where they stood. */
  readonly text: string;
  readonly images: readonly ImageContent[];
  /** Files whose content the editor sent along. */
  readonly files: readonly MentionedFile[];
}

/** Reads the blocks of a prompt. */
export function readBlocks(blocks: readonly ContentBlock[]): ReadPrompt {
  const images: ImageContent[] = [];
  const files: MentionedFile[] = [];
  const words: Words[] = [];
  for (const block of blocks) {
    if (block.type === 'text') words.push({ text: block.text, isLink: false });
    else if (block.type === 'image') images.push({ type: 'image', data: block.data, mimeType: block.mimeType });
    else if (block.type === 'resource_link') words.push({ text: linkText(block), isLink: true });
    else if (block.type === 'resource') words.push({ text: embed(block, files, images), isLink: true });
    else throw errors.create('ACP_CONTENT', { type: block.type });
  }
  const text = joined(words).trim();
  if (text === '' && images.length === 0 && files.length === 0) throw errors.create('ACP_PROMPT_EMPTY');
  return { text, images, files };
}

interface Words {
  readonly text: string;
  readonly isLink: boolean;
}

/**
 * Some editors cut one text into blocks, at a link or at a sign; others send several messages, or links ahead of the question. Only words
 * that would run into each other are kept apart.
 */
function joined(words: readonly Words[]): string {
  return words.reduce((text, next, index) => {
    const before = words[index - 1];
    const runsOn = /[\p{L}\p{N}.!?:;>)`\]]$/u.test(text) && /^[\p{L}\p{N}<`[]/u.test(next.text);
    if (!before || !runsOn) return text + next.text;
    return `${text}${before.isLink || next.isLink ? ' ' : '\n'}${next.text}`;
  }, '');
}

function linkText({ uri, name }: ResourceLink): string {
  const path = pathIn(uri);
  return path === undefined ? `[${name}](${uri})` : `\`${path}\``;
}

/** Text becomes a file of the prompt, an image an image; the place where it stood names it. */
function embed({ resource }: EmbeddedResource, files: MentionedFile[], images: ImageContent[]): string {
  const { uri, mimeType } = resource;
  const path = pathIn(uri) ?? uri;
  if ('text' in resource) {
    const lines = resource.text === '' ? 0 : resource.text.replace(/\n$/, '').split('\n').length;
    files.push({ path, content: resource.text, lineCount: lines });
  } else if (mimeType?.startsWith('image/') === true) {
    images.push({ type: 'image', data: resource.blob, mimeType });
  } else throw errors.create('ACP_CONTENT', { type: mimeType ?? 'application/octet-stream' });
  return `\`${path}\``;
}

/** The path of a file URL; nothing for other addresses. A fragment names lines (`#L10`), as editors write them. */
function pathIn(uri: string): string | undefined {
  if (!uri.startsWith('file:') || !URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  const [, line, last] = /^#L(\d+)(?:[:-]L?(\d+))?/.exec(url.hash) ?? [];
  url.hash = '';
  try {
    const range = line === undefined ? '' : last === undefined ? `:${line}` : `:${line}-${last}`;
    return `${fileURLToPath(url)}${range}`;
  } catch {
    return undefined; // A file of another machine, or no path at all: it stays the address that it is.
  }
}
