/** Makes blocks of Markdown: code in fences is code, everything else is prose that is shown as it was written. */
import { plainText } from '@tenon/wording';
import type { Block } from '../channel.ts';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The blocks of a Markdown text. No control characters, and nothing that nobody sees, gets into them. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: string | undefined;
  let lines: string[] = [];
  const end = (kind: Block['kind']) => {
    const text = kind === 'text' ? trimmed(lines) : lines.join('\n');
    if (text !== '') blocks.push({ kind, text });
    lines = [];
  };
  for (const line of plainText(markdown).split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      end('text');
      fence = mark;
    } else if (fence !== undefined && mark !== undefined && closes(mark, fence, line)) {
      end('code');
      fence = undefined;
    } else lines.push(line);
  }
  // A fence that is never closed reaches to the end, as Markdown says.
  end(fence === undefined ? 'text' : 'code');
  return blocks;
}

/** A fence is closed by its own mark, at least as long, with nothing behind it. */
function closes(mark: string, fence: string, line: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
}

/** Without blank lines around it. */
function trimmed(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** One block of prose. */
export function prose(text: string): Block {
  return { kind: 'text', text: plainText(text) };
}

/** One block of code. */
export function code(text: string): Block {
  return { kind: 'code', text: plainText(text) };
}
