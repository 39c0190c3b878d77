/** Which files a piece of conversation read and changed, so that a summary does not forget them. */
import type { AgentMessage } from '@tenon/sessions/api';
import { displayPath, type Touches } from '@tenon/tools/api';

/** Files by what was done to them. A changed file is not listed as read. */
export interface FileOperations {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/** Who knows what the calls of a conversation have touched. */
export interface TouchHistory {
  readonly cwd: string;
  readonly tools: { touched(tool: string, input: Readonly<Record<string, unknown>>): Promise<Touches> };
}

/** Collects the file operations of messages, on top of those of an earlier summary. */
export async function fileOperations(
  messages: readonly AgentMessage[],
  earlier: unknown,
  { cwd, tools }: TouchHistory,
): Promise<FileOperations> {
  const before = (earlier ?? {}) as Partial<FileOperations>;
  const read = new Set(textList(before.readFiles));
  const modified = new Set(textList(before.modifiedFiles));
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of message.content) {
      if (block.type !== 'toolCall') continue;
      const { reads = [], writes = [] } = await tools.touched(block.name, block.arguments);
      for (const path of reads) read.add(displayPath(cwd, path));
      for (const path of writes) modified.add(displayPath(cwd, path));
    }
  }
  return { readFiles: [...read].filter((path) => !modified.has(path)).sort(), modifiedFiles: [...modified].sort() };
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
