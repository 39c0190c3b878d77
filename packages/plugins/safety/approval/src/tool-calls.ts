/** What calls of tools could do. Only commands need the parser; everything else is judged by risk and paths. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Folders } from '@tenon/host';
import type { Profile } from '@tenon/sandbox/api';
import type { ToolCallEvent } from '@tenon/tools/api';
import { namedIn } from './call-paths.ts';
import type { Finding } from './judge/finding.ts';
import { absolutePath, lookThrough, touch, type Touch, type World } from './judge/places.ts';

/** What is known about the machine, with the folder of the call as the workspace. */
export function worldFor(
  workspace: string,
  { home, config, data, state }: Pick<Folders, 'home' | 'config' | 'data' | 'state'>,
): World {
  return { workspace, home, temporary: temporaryFolders(tmpdir()), own: [config, data, state] };
}

const temporaryFor = new Map<string, readonly string[]>();

/** Where temporary files go, with and without links. Looked at once: every call of a tool asks. */
function temporaryFolders(chosen: string): readonly string[] {
  const known = temporaryFor.get(chosen);
  if (known) return known;
  const folders = new Set([chosen, '/tmp', '/var/tmp'].flatMap((folder) => [folder, realOrSame(folder)]));
  temporaryFor.set(chosen, [...folders]);
  return [...folders];
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // A folder that is not there holds nothing.
  }
}

/** What judging a call needs. */
export interface CallHost {
  readonly world: World;
  readonly cwd: string;
  /** The sandbox profile that programs run under here. */
  profile(): Promise<Profile>;
}

/** Tools that read what is in the folders that they are given, in this process: no sandbox hides anything from them. */
const LOOKS_THROUGH = new Set(['search', 'ast_grep', 'ast_edit']);

/** What the files and addresses amount to that a call names. */
export function namedFindings(event: ToolCallEvent, { cwd, world }: Pick<CallHost, 'cwd' | 'world'>): Finding[] {
  const { tool, risk } = event;
  const { paths, addresses } = namedIn(event, { cwd, home: world.home });
  // A preview changes nothing, but applying it later asks no more about files.
  const kind: Touch = risk === 'write' || tool === 'ast_edit' ? 'write' : 'read';
  const through = LOOKS_THROUGH.has(tool) ? paths.flatMap((path) => lookThrough(path, world) ?? []) : [];
  const web = addresses.length > 0 ? [readsFromNetwork(tool)] : [];
  return [...paths.map((path) => touch(kind, path, world)), ...through, ...web];
}

function readsFromNetwork(tool: string): Finding {
  return { tier: 1, reason: `\`${tool}\` reads from the network`, like: 'fetch' };
}

/** Tools of MCP servers: those that only read say so and have another risk. */
const MCP_TOOL_PREFIX = 'mcp__';

/** Everything that a call could do. */
export async function assessCall(event: ToolCallEvent, host: CallHost): Promise<Finding[]> {
  const { tool, input, risk } = event;
  const command = input['command'];
  if (tool === 'bash' && typeof command === 'string') return shellFindings(command, input, host);
  const named = namedFindings(event, host);
  switch (risk) {
    case 'read':
      return [{ tier: 0, reason: '' }, ...named];
    case 'exec': {
      if (tool.startsWith(MCP_TOOL_PREFIX))
        return [{ tier: 2, reason: `\`${tool}\` is a tool of a server, which no sandbox limits` }, ...named];
      const profile = await host.profile();
      if (profile !== 'full') return [{ tier: 1, reason: `\`${tool}\` runs code in a sandbox (${profile})` }, ...named];
      const { DESTRUCTIVE_CODE } = await import('./judge/rules/interpreters.ts');
      const deletes = Object.values(input).some((value) => typeof value === 'string' && DESTRUCTIVE_CODE.test(value));
      const what = deletes ? 'code that deletes' : 'code';
      return [{ tier: deletes ? 3 : 2, reason: `\`${tool}\` runs ${what} without a sandbox` }, ...named];
    }
    case 'net':
      return [readsFromNetwork(tool), ...named];
    case 'write':
      return [{ tier: 1, reason: `\`${tool}\` changes files` }, ...named];
    default:
      // Tools without a class come from the embedding program or from packs, which are confined to what was granted to them.
      return [{ tier: 1, reason: `\`${tool}\` does not say what it does` }, ...named];
  }
}

async function shellFindings(
  command: string,
  input: ToolCallEvent['input'],
  { world, cwd }: CallHost,
): Promise<Finding[]> {
  const { assessCommand } = await import('./judge/assess.ts');
  const folder = typeof input['cwd'] === 'string' ? absolutePath(input['cwd'], cwd, world.home) : cwd;
  const env = Object.fromEntries(
    Object.entries((input['env'] ?? {}) as Record<string, unknown>).map(([name, value]) => [name, String(value)]),
  );
  const findings = await assessCommand({ command, cwd: folder, env }, world);
  return input['unsandboxed'] === true ? [...findings, outside(input['reason'])] : findings;
}

/** Leaving the sandbox is asked about by itself, whatever the command is. */
function outside(reason: unknown): Finding {
  const why = typeof reason === 'string' && reason.trim() !== '' ? ` (${reason.trim().slice(0, 200)})` : '';
  return { tier: 2, reason: `it runs outside of the sandbox${why}` };
}

/** Parts of the input that change how much is shown, not what is done. */
const DISPLAY_KEYS = new Set(['timeout', 'head', 'tail', 'title', 'description']);

/** The fingerprint of a call: the same tool, input and folder give the same. */
export function digestOf({ tool, input }: Pick<ToolCallEvent, 'tool' | 'input'>, folder: string): string {
  const normal = Object.fromEntries(Object.entries(input).filter(([key]) => tool !== 'bash' || !DISPLAY_KEYS.has(key)));
  return createHash('sha256')
    .update(JSON.stringify([tool, folder, sorted(normal)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** One line that says what a call would do. */
export function summaryOf({ tool, input }: Pick<ToolCallEvent, 'tool' | 'input'>): string {
  const main = input['command'] ?? input['path'] ?? input['url'] ?? input['op'];
  const text = typeof main === 'string' ? main : JSON.stringify(input);
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ').trim();
  return `${tool}: ${line.length > 200 ? `${line.slice(0, 199)}…` : line}`;
}
