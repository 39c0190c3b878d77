import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type CommandCall, plainLine, plainText } from '@tenon/command-line/api';
import { messageOf, type Registry } from '@tenon/kernel';
import type { Tool, ToolResult, ToolRunner } from './api.ts';
import { errors } from './errors.ts';

/** `tenon tool list` */
export async function listTools(registry: Registry<Tool>, { io, flags }: CommandCall): Promise<void> {
  const rows = registry.list().map(({ key, data, source }) => ({
    name: key,
    summary: typeof data['summary'] === 'string' ? plainLine(data['summary']) : '',
    risk: typeof data['risk'] === 'string' ? data['risk'] : null,
    plugin: source.plugin,
  }));
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (flags['json']) return io.json(rows);
  if (rows.length === 0) return io.err('No tool is installed. Packs bring tools: see `tenon help plugin`.\n');
  const width = (of: (row: (typeof rows)[number]) => string) => Math.max(...rows.map((row) => of(row).length));
  const [names, risks] = [width(({ name }) => name), width(({ risk }) => risk ?? '-')];
  const line = ({ name, risk, summary, plugin }: (typeof rows)[number]) =>
    `${name.padEnd(names)}  ${(risk ?? '-').padEnd(risks)}  ${summary} (${plugin})\n`;
  await io.out(rows.map(line).join(''));
}

/** `tenon tool run` */
export async function runTool(runner: ToolRunner, { args, flags, io, cwd, signal }: CommandCall): Promise<number> {
  const input = await readInput(String(flags['input'] ?? '{}'), cwd, signal);
  const progress = io.interactive ? progressOn((text) => io.err(text), io.width) : undefined;
  const result = await runner.run(String(args['name']), input, {
    signal,
    ...(progress && { onUpdate: (partial: ToolResult) => progress.show(partial) }),
  });
  await progress?.clear();
  if (flags['json']) await io.json(result);
  else await (result.isError ? io.err : io.out)(resultText(result));
  return result.isError ? 1 : 0;
}

async function readInput(given: string, cwd: string, signal: AbortSignal): Promise<unknown> {
  const origin = given === '-' ? 'standard input' : given.startsWith('@') ? given.slice(1) : '--input';
  let text = given;
  try {
    if (given === '-') text = await readStdin(signal);
    else if (given.startsWith('@')) text = await readFile(resolve(cwd, given.slice(1)), { encoding: 'utf8', signal });
  } catch (fault) {
    signal.throwIfAborted();
    throw errors.create('TOOLS_INPUT_UNREADABLE', { origin, reason: messageOf(fault) }, fault);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (fault) {
    throw errors.create('TOOLS_INPUT_NOT_JSON', { origin, reason: messageOf(fault) }, fault);
  }
}

/** Ctrl-C must end the wait for a pipe that never closes. */
async function readStdin(signal: AbortSignal): Promise<string> {
  const stop = () => process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await readAll(process.stdin);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The result as a person reads it. */
export function resultText({ content }: ToolResult): string {
  const text = content.map(partText).join('\n');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function partText(part: ToolResult['content'][number]): string {
  return part.type === 'text'
    ? plainText(part.text)
    : `[${part.mimeType}, ${Math.ceil((part.data.length * 3) / 4)} bytes]`;
}

/** Shows the last line of each update in place of the one before. */
function progressOn(write: (text: string) => Promise<void>, width: number) {
  let shown = false;
  return {
    async show(partial: ToolResult) {
      const last = resultText(partial).trimEnd().split('\n').at(-1) ?? '';
      const plain = plainLine(last).slice(0, Math.max(10, width - 1));
      shown = true;
      await write(`\r\u001b[K${plain}`);
    },
    async clear() {
      if (shown) await write('\r\u001b[K');
    },
  };
}
