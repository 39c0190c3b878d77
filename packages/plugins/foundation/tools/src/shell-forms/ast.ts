/** `tenon ast`: structural search and rewriting for the shell, over `ast_grep`, `ast_edit` and `resolve`. */
import type { CommandCall } from '@tenon/command-line/api';
import type { ToolResult, ToolRunner } from '../api.ts';
import { resultText, runShown } from '../commands.ts';
import { FOUND, NOTHING_FOUND, numberFlag, pathsOf, TROUBLE } from './flags.ts';
import { formatLines, parseFound } from './found-lines.ts';

/** Searches, or previews a rewrite and applies it with --apply. */
export async function ast(runner: ToolRunner, call: CommandCall): Promise<number> {
  return call.flags['rewrite'] === undefined ? search(runner, call) : rewrite(runner, call);
}

async function search(runner: ToolRunner, call: CommandCall): Promise<number> {
  const { args, flags, io } = call;
  const skip = numberFlag(call, 'ast', 'skip', 0, 0);
  const input = { pat: String(args['pattern']), paths: pathsOf(call), ...(skip > 0 && { skip }) };
  const result = await runShown(runner, 'ast_grep', input, call);
  if (result.isError) return trouble(call, result);
  const { files = [], matchCount = 0 } = (result.details ?? {}) as { files?: readonly string[]; matchCount?: number };
  const { lines, notes } = parseFound(resultText(result), files[0] ?? '');
  const about = notes.filter((note) => !note.startsWith('meta: ') && !note.startsWith('No matches found'));
  if (flags['json']) await io.json({ ...(result.details as object), lines, notes: about });
  else {
    await io.out(formatLines(lines, { color: io.color, headings: io.color, anchors: flags['anchors'] === true }));
    if (about.length > 0) await io.err(`${about.join('\n')}\n`);
  }
  return matchCount > 0 ? FOUND : NOTHING_FOUND;
}

async function rewrite(runner: ToolRunner, call: CommandCall): Promise<number> {
  const { args, flags, io } = call;
  const operation = { pat: String(args['pattern']), out: String(flags['rewrite']) };
  const preview = await runShown(runner, 'ast_edit', { ops: [operation], paths: pathsOf(call) }, call);
  if (preview.isError) return trouble(call, preview);
  const { totalReplacements = 0 } = (preview.details ?? {}) as { totalReplacements?: number };
  if (totalReplacements === 0) {
    if (flags['json']) await io.json(preview.details);
    else await io.err(resultText(preview));
    return NOTHING_FOUND;
  }
  const decision = await runShown(
    runner,
    'resolve',
    { action: flags['apply'] ? 'apply' : 'discard', reason: 'as asked for on the command line' },
    call,
  );
  if (decision.isError) return trouble(call, decision);
  if (flags['json']) {
    await io.json({ ...(preview.details as object), applied: flags['apply'] === true });
    return FOUND;
  }
  const shown = resultText(preview)
    .split('\n')
    .filter((line) => !line.startsWith('This is a preview of'));
  await io.out(
    `${shown
      .map((line) => painted(line, io.color))
      .join('\n')
      .trimEnd()}\n`,
  );
  await io.err(flags['apply'] ? resultText(decision) : 'Nothing was changed. Add --apply to carry this out.\n');
  return FOUND;
}

function painted(line: string, color: boolean): string {
  if (!color) return line;
  const code = line.startsWith('+') ? 32 : line.startsWith('-') ? 31 : line.startsWith('# ') ? 35 : undefined;
  return code === undefined ? line : `\u001b[${code}m${line}\u001b[0m`;
}

async function trouble({ flags, io }: CommandCall, result: ToolResult): Promise<number> {
  if (flags['json']) await io.json(result);
  else await io.err(resultText(result));
  return TROUBLE;
}
