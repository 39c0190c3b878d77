/** What a worker reads as its task. */
import { join } from 'node:path';
import type { WorkerFile, WorkerTask } from '../api.ts';
import { prompts } from '../prompts/index.ts';
import type { WorkerCapabilities } from '../spec.ts';

/** Linux takes no word of more than 128 KiB; the rest is room for what a CLI's own starter adds. */
const MAX_WORD_BYTES = 100_000;

/** The task as one word of the command line, and the file that holds it when it is too long for one. */
export interface TaskText {
  readonly word: string;
  readonly files: readonly WorkerFile[];
}

/** Puts instructions and the schema before and after the prompt where the CLI has no flags for them. */
export function taskText(
  task: Pick<WorkerTask, 'prompt' | 'systemPrompt' | 'schema' | 'scratch'>,
  can: Pick<WorkerCapabilities, 'systemPrompt' | 'structuredOutput'>,
): TaskText {
  const parts = [
    ...(can.systemPrompt === 'prompt' && task.systemPrompt ? [task.systemPrompt] : []),
    task.prompt,
    ...(can.structuredOutput === 'prompt' && task.schema
      ? [prompts.structuredAnswer({ schema: JSON.stringify(task.schema, undefined, 2) })]
      : []),
  ];
  const text = parts.join('\n\n');
  if (Buffer.byteLength(text) <= MAX_WORD_BYTES) return { word: text, files: [] };
  const path = join(task.scratch, 'task.md');
  return { word: prompts.longTask({ file: path }), files: [{ path, text }] };
}

/** A word that a CLI without `--` would take for a flag or a file: a blank before it changes nothing else. */
export function guardedWord(word: string, marks: RegExp): string {
  return marks.test(word) ? ` ${word}` : word;
}
