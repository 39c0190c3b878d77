import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine, plainText } from '@tenon/wording';
import { type Entry, type JsonSchema, messageOf, type Registry } from '@tenon/kernel';
import type { Tool, ToolCatalogue, ToolData, ToolOrigin, ToolResult, ToolRisk, ToolRunner } from './api.ts';
import { errors } from './errors.ts';
import { inputShape } from './input-shape.ts';

/** Where tools are looked up. */
export interface KnownTools {
  readonly registry: Registry<Tool>;
  readonly catalogue: Pick<ToolCatalogue, 'gather' | 'find'>;
}

/** `tenon tools list`. The source that should have brought a missing tool reports it. */
export async function listTools({ registry, catalogue }: KnownTools, call: CommandCall): Promise<void> {
  const { io, flags, cwd, signal } = call;
  await catalogue.gather({ cwd, signal });
  const entries = [...registry.list()].sort((a, b) => (a.key < b.key ? -1 : 1));
  if (flags['json']) return io.json(await Promise.all(entries.map((entry) => describe(registry, entry))));
  if (entries.length === 0) return io.err('No tool is installed. Packs bring tools: see `tenon help plugin`.\n');
  const rows = entries.map(factsOf);
  const width = (of: (row: (typeof rows)[number]) => string) => Math.max(...rows.map((row) => of(row).length));
  const [names, risks] = [width(({ name }) => name), width(({ risk }) => risk ?? '-')];
  const line = (row: (typeof rows)[number]) =>
    `${row.name.padEnd(names)}  ${(row.risk ?? '-').padEnd(risks)}  ${row.summary} (${whence(row).join(', ')})\n`;
  await io.out(rows.map(line).join(''));
}

/** `tenon tools show` */
export async function showTool(parts: KnownTools, call: CommandCall): Promise<void> {
  const { args, flags, io } = call;
  const name = String(args['name']);
  const facts = await describe(parts.registry, await findTool(parts, name, call));
  if (flags['json']) return io.json(facts);
  if (facts.parameters === null) return io.err(`${name}: ${facts.error ?? 'it could not be started'}\n`);
  const about = [
    `risk: ${facts.risk ?? 'not said'}`,
    `plugin: ${whence(facts).join(', ')}`,
    ...(facts.origin?.file === undefined ? [] : [`file: ${facts.origin.file}`]),
  ];
  const text = [
    `${name}: ${facts.summary}`,
    about.join(', '),
    '',
    facts.description,
    '',
    `Input: ${inputShape(facts.parameters)}`,
  ];
  await io.out(`${plainText(text.join('\n'))}\n`);
}

/** The tool of this name; an error that helps when there is none. */
async function findTool(
  { registry, catalogue }: KnownTools,
  name: string,
  { cwd, signal }: Pick<CommandCall, 'cwd' | 'signal'>,
): Promise<Entry<Tool>> {
  const { unknown } = await catalogue.find({ cwd, signal, names: [name] });
  const entry = registry.get(name);
  if (!entry) throw errors.create('TOOLS_UNKNOWN', { tool: name, hint: unknown?.hint ?? '' });
  return entry;
}

interface ToolFacts {
  readonly name: string;
  readonly summary: string;
  readonly risk: string | null;
  readonly plugin: string;
  readonly discoverable: boolean;
  readonly exclusive: boolean;
  readonly render?: unknown;
  readonly origin?: ToolOrigin & { readonly file?: string };
}

const ORIGINS: Readonly<Record<ToolOrigin['kind'], string>> = { 'mcp-server': 'MCP server', extension: 'extension' };

/** In words: whose tool it is, and how a model comes to it. */
function whence({ plugin, origin, discoverable }: ToolFacts): string[] {
  const from = origin ? [plainLine(`${ORIGINS[origin.kind]} "${origin.name}"`)] : [];
  // Those of extensions are to be found by the sessions of other folders only; those of their own are given them.
  const isFound = discoverable && origin?.kind !== 'extension';
  return [plugin, ...from, ...(isFound ? ['found by search'] : [])];
}

/** What is known without starting the tool's plugin. */
function factsOf({ key, data, source }: Entry<Tool>): ToolFacts {
  const { origin } = data as Partial<ToolData>;
  return {
    name: key,
    summary: typeof data['summary'] === 'string' ? plainLine(data['summary']) : '',
    risk: typeof data['risk'] === 'string' ? data['risk'] : null,
    plugin: source.plugin,
    discoverable: data['discoverable'] === true,
    exclusive: data['exclusive'] === true || (data['exclusive'] === undefined && isChanging(data['risk'])),
    ...(data['render'] !== undefined && { render: data['render'] }),
    ...(origin && {
      origin: { kind: origin.kind, name: origin.name, ...(source.file !== undefined && { file: source.file }) },
    }),
  };
}

/** Tools that write or execute run alone unless they say otherwise. */
function isChanging(risk: unknown): boolean {
  return risk === 'write' || risk === 'exec';
}

/** All about a tool. One whose plugin does not start is listed with the reason. */
async function describe(
  registry: Registry<Tool>,
  entry: Entry<Tool>,
): Promise<ToolFacts & { description: string; parameters: JsonSchema | null; error?: string }> {
  try {
    const { description, parameters } = await registry.resolve(entry.key);
    return { ...factsOf(entry), description, parameters };
  } catch (fault) {
    return { ...factsOf(entry), description: '', parameters: null, error: messageOf(fault) };
  }
}

/** The tool `edit` in a mode; rejects with the list of modes for an unknown one. */
export type EditToolFor = (mode: string) => Promise<Tool>;

/** `tenon tool run` */
export async function runTool(
  parts: KnownTools,
  runner: ToolRunner,
  editTool: EditToolFor,
  call: CommandCall,
): Promise<number> {
  const { args, flags, io, cwd, signal } = call;
  const [name, mode] = [String(args['name']), flags['edit-mode']];
  if (mode !== undefined && name !== 'edit') throw errors.create('TOOLS_EDIT_MODE_UNUSED', { tool: name });
  const input = await readInput(String(flags['input'] ?? '{}'), cwd, signal);
  await findTool(parts, name, call);
  const other = mode === undefined ? {} : { tool: await editTool(String(mode)), risk: 'write' as const };
  const result = await runShown(runner, name, input, call, other);
  if (flags['json']) await io.json(result);
  else await (result.isError ? io.err : io.out)(resultText(result));
  return result.isError ? 1 : 0;
}

/** Runs a tool by hand; a person at a terminal sees how it goes. */
export async function runShown(
  runner: ToolRunner,
  name: string,
  input: unknown,
  { io, signal }: Pick<CommandCall, 'io' | 'signal'>,
  other: { readonly tool?: Tool; readonly risk?: ToolRisk } = {},
): Promise<ToolResult> {
  const progress = io.interactive ? progressOn((text) => io.err(text), io.width) : undefined;
  const result = await runner.run(name, input, {
    signal,
    ...other,
    ...(progress && { onUpdate: (partial: ToolResult) => progress.show(partial) }),
  });
  await progress?.clear();
  return result;
}

async function readInput(value: string, cwd: string, signal: AbortSignal): Promise<unknown> {
  const origin = value === '-' ? 'standard input' : value.startsWith('@') ? value.slice(1) : '--input';
  let text = value;
  try {
    if (value === '-') text = await readStdin(signal);
    else if (value.startsWith('@')) text = await readFile(resolve(cwd, value.slice(1)), { encoding: 'utf8', signal });
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
