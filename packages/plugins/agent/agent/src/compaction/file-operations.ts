/** Which files a piece of conversation read and changed, so that a summary does not forget them. */
import type { AgentMessage } from '@tenon/sessions/api';

/** Files by what was done to them. A changed file is not listed as read. */
export interface FileOperations {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

const READING = new Set(['read']);
const CHANGING = new Set(['write', 'edit', 'ast_edit']);

/** Collects the file operations of messages, on top of those of an earlier summary. */
export function fileOperations(messages: readonly AgentMessage[], earlier: unknown): FileOperations {
  const before = (earlier ?? {}) as Partial<FileOperations>;
  const read = new Set(textList(before.readFiles));
  const modified = new Set(textList(before.modifiedFiles));
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of message.content) {
      if (block.type !== 'toolCall') continue;
      const path = pathIn(block.arguments);
      if (path === undefined) continue;
      if (READING.has(block.name)) read.add(path);
      else if (CHANGING.has(block.name)) modified.add(path);
    }
  }
  return { readFiles: [...read].filter((path) => !modified.has(path)).sort(), modifiedFiles: [...modified].sort() };
}

function pathIn(args: Readonly<Record<string, unknown>>): string | undefined {
  const path = args['path'] ?? args['file'];
  return typeof path === 'string' && path !== '' ? path : undefined;
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** The lists as tags at the end of a summary. */
export function fileTags({ readFiles, modifiedFiles }: FileOperations): string {
  const tag = (name: string, files: readonly string[]) =>
    files.length > 0 ? `\n\n<${name}>\n${files.join('\n')}\n</${name}>` : '';
  return tag('read-files', readFiles) + tag('modified-files', modifiedFiles);
}
