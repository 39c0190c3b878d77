/** Tables and short words of the commands. */
import type { CommandIo } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import type { OptionSchema } from '../command/options.ts';
import type { WorkerCapabilities } from '../spec.ts';

type Look = Pick<CommandIo, 'color' | 'width'>;

/** Text in a colour where colours are shown. */
export function paint({ color }: Pick<CommandIo, 'color'>, code: number, text: string): string {
  return color ? `\u001B[${code}m${text}\u001B[0m` : text;
}

/** Rows in columns; the last one is cut at the width of a terminal only by the terminal itself. */
export function columns(head: readonly string[] | undefined, rows: readonly (readonly string[])[], look: Look): string {
  const all = [...(head ? [head] : []), ...rows].map((row) => row.map((cell) => plainCell(cell)));
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row, index) => {
      const line = row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd();
      return `${head && index === 0 ? paint(look, 1, line) : line}\n`;
    })
    .join('');
}

function plainCell(text: string): string {
  // Blanks before a name show that it belongs to the line above.
  const indent = /^ */.exec(text)?.[0] ?? '';
  return `${indent}${plainLine(text.slice(indent.length))}`;
}

/** What a CLI can do, in a few words. */
export function supportText(can: WorkerCapabilities): string {
  const words = [
    can.output,
    ...(can.resume === 'none' ? [] : ['resume']),
    ...(can.interactive ? ['hijack'] : []),
    ...(can.structuredOutput === 'native' ? ['schema'] : []),
    ...(can.mcp === 'none' ? [] : ['mcp']),
    ...(can.usage === 'none' ? [] : ['usage']),
    ...(can.cost ? ['cost'] : []),
    ...(can.ownSandbox ? ['own sandbox'] : []),
  ];
  return words.join(', ');
}

/** How an option is written for its CLI. */
export function optionFlag(option: OptionSchema): string {
  const flag = option['x-flag'];
  return flag === undefined
    ? ''
    : option.type === 'boolean'
      ? flag
      : `${flag} ${(option.type ?? 'value').toUpperCase()}`;
}
