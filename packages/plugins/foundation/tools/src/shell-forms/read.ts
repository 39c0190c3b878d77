/** `tenon read`: the tool of the same name for the shell. */
import type { CommandCall } from '@tenon/command-line/api';
import type { ToolRunner } from '../api.ts';
import { resultText, runShown } from '../commands.ts';

/** Shows a file, a folder or what a URL stands for. */
export async function read(runner: ToolRunner, call: CommandCall): Promise<number> {
  const { args, flags, io } = call;
  const lines = flags['lines'] === undefined ? '' : `:${String(flags['lines'])}`;
  const path = `${String(args['path'])}${lines}${flags['raw'] ? ':raw' : ''}`;
  const result = await runShown(runner, 'read', { path }, call);
  if (flags['json']) await io.json(result);
  else if (result.isError) await io.err(resultText(result));
  else {
    const text = onlyLines(resultText(result), String(flags['lines'] ?? ''));
    await io.out(io.color ? dimAnchors(text) : text);
  }
  return result.isError ? 1 : 0;
}

/** Models get some lines around those that they ask for; people get what they asked for. */
function onlyLines(text: string, range: string): string {
  const [, first = '', sign, second = ''] = /^(\d+)(?:([-+])(\d+))?$/.exec(range) ?? [];
  if (first === '') return text;
  const [start, length] = [Number(first), Number(second)];
  const end = sign === undefined ? Infinity : sign === '-' ? length : start + length - 1;
  const isWanted = (row: string) => {
    const line = Number(/^(\d+)[a-z]{2}\|/.exec(row)?.[1] ?? start);
    return line >= start && line <= end;
  };
  return text.split('\n').filter(isWanted).join('\n');
}

function dimAnchors(text: string): string {
  return text.replaceAll(/^(\s*\d+[a-z]{2}\|)/gm, '\u001b[2m$1\u001b[0m');
}
