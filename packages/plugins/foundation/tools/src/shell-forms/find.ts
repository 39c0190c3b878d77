/** `tenon find`: the tool of the same name for the shell. */
import type { CommandCall } from '@tenon/command-line/api';
import type { ToolRunner } from '../api.ts';
import { resultText, runShown } from '../commands.ts';
import { FOUND, NOTHING_FOUND, numberFlag, pathsOf, TROUBLE } from './flags.ts';

/** Finds files by name. */
export async function find(runner: ToolRunner, call: CommandCall): Promise<number> {
  const { flags, io } = call;
  const result = await runShown(
    runner,
    'find',
    {
      paths: pathsOf(call),
      ...(flags['no-hidden'] && { hidden: false }),
      ...(flags['limit'] !== undefined && { limit: numberFlag(call, 'find', 'limit', 1) }),
    },
    call,
  );
  const { files = [] } = (result.details ?? {}) as { readonly files?: readonly string[] };
  if (flags['json']) await io.json(result.isError ? result : result.details);
  else if (result.isError) await io.err(resultText(result));
  else {
    const end = flags['null'] ? '\0' : '\n';
    await io.out(files.map((file) => `${file}${end}`).join(''));
    // Everything after the paths is about them.
    const notes = resultText(result).split('\n').slice(files.length).filter(Boolean);
    if (files.length > 0 && notes.length > 0) await io.err(`${notes.join('\n')}\n`);
  }
  if (result.isError) return TROUBLE;
  return files.length > 0 ? FOUND : NOTHING_FOUND;
}
