/** What calls of tools could do, by what they touch. Only commands need the parser. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import type { Places, Profile } from '@tenon/sandbox/api';
import { textsIn, type ToolCallEvent, type TouchedCommand, type Touches } from '@tenon/tools/api';
import type { Finding } from './judge/finding.ts';
import { lookThrough, touch, type Surroundings } from './judge/places.ts';
import { textsAsPlaces } from './unlisted-places.ts';

/** What is known about the machine, with the folder of the call as the workspace. */
export function worldFor(
  workspace: string,
  { home, config, data, state }: Pick<Folders, 'home' | 'config' | 'data' | 'state'>,
  places: Places,
): Surroundings {
  return {
    workspace,
    home,
    temporary: temporaryFolders(tmpdir()),
    own: [config, data, state],
    places,
    grammars: join(config, 'grammars'),
  };
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
  readonly world: Surroundings;
  readonly cwd: string;
  /** The sandbox profile that programs run under here. */
  profile(): Promise<Profile>;
}

/** What the files and addresses amount to that a call touches. Needs no parser. */
export function listedFindings({ tool, input, touches, risk }: ToolCallEvent, { cwd, world }: CallHost): Finding[] {
  const { reads = [], lists = [], searches = [], writes, hosts, anything } = touches;
  const guessed = anything === true ? textsAsPlaces(input, { cwd, home: world.home }) : { paths: [], hosts: [] };
  return [
    ...[...reads, ...lists, ...searches].map((path) => touch('read', path, world)),
    ...searches.flatMap((folder) => lookThrough(folder, world) ?? []),
    ...(writes ? [{ tier: 1, reason: `\`${tool}\` changes files` } as const] : []),
    ...(writes ?? []).map((path) => touch('write', path, world)),
    ...guessed.paths.map((path) => touch(risk === 'write' ? 'write' : 'read', path, world)),
    ...(hosts || guessed.hosts.length > 0 ? [readsFromNetwork(tool)] : []),
  ];
}

/** Policies speak of everything that reads from the network as `fetch`. */
function readsFromNetwork(tool: string): Finding {
  return { tier: 1, reason: `\`${tool}\` reads from the network`, like: 'fetch' };
}

/** Everything that a call could do. */
export async function assessCall(event: ToolCallEvent, host: CallHost): Promise<Finding[]> {
  const { tool, touches, risk } = event;
  const findings: Finding[] = [];
  for (const command of [...(touches.commands ?? []), ...unlistedCommands(event, host)])
    findings.push(...(await commandFindings(tool, command, host, touches.anything !== true)));
  if (touches.anything === true && risk !== 'read') findings.push(await unknownFinding(event, host));
  findings.push(...listedFindings(event, host));
  // Rules about the tool itself hold for calls that touch nothing, too.
  return findings.length > 0 ? findings : [{ tier: 0, reason: '' }];
}

/** What an input calls a command is judged as one: an extension may take the place of the shell tool. */
function unlistedCommands({ input, touches, risk }: ToolCallEvent, { cwd }: CallHost): TouchedCommand[] {
  const { command } = input;
  return touches.anything === true && risk !== 'read' && typeof command === 'string' ? [{ text: command, cwd }] : [];
}

/** A call that may touch anything, by what its manifest admits. */
async function unknownFinding({ tool, input, risk, origin }: ToolCallEvent, host: CallHost): Promise<Finding> {
  if (risk === 'write') return { tier: 1, reason: `\`${tool}\` changes files` };
  if (risk === 'net') return readsFromNetwork(tool);
  // The program that embeds Tenon answers for its own tools.
  if (risk === undefined && origin === 'program') return { tier: 1, reason: `\`${tool}\` does not say what it does` };
  if (origin === 'mcp-server') return { tier: 2, reason: `\`${tool}\` is a tool of a server, which no sandbox limits` };
  return codeFinding(tool, textsIn(input), host);
}

/** `isHeld` says that the tool runs what it declares, in the sandbox; else nothing confines what is not understood. */
async function commandFindings(
  tool: string,
  command: TouchedCommand,
  host: CallHost,
  isHeld: boolean,
): Promise<Finding[]> {
  const { text, language, cwd, env = {}, definitions, unsandboxed, refused } = command;
  if (language !== undefined) return codeFindings(tool, command, host);
  const { assessCommand } = await import('./judge/assess.ts');
  const { findings } = await assessCommand(
    { command: text, cwd, env, ...(definitions && { definitions }) },
    host.world,
  );
  if (isHeld && unsandboxed === undefined) return [...findings];
  const bare = findings.map(({ unclear: _unclear, ...finding }) => finding);
  // Where there is no sandbox, nothing leaves one.
  if (unsandboxed === undefined || (await host.profile()) === 'full') return bare;
  return [...bare, ...leaving(bare, refused ? '' : unsandboxed, env)];
}

/** Code for a program outside of the sandbox (one that a debugger is attached to) counts as code that nothing confines. */
async function codeFindings(tool: string, { text, unsandboxed }: TouchedCommand, host: CallHost): Promise<Finding[]> {
  if (unsandboxed === undefined || (await host.profile()) === 'full') return [await codeFinding(tool, [text], host)];
  const bare = await codeFinding(tool, [text], { ...host, profile: async () => 'full' });
  return [bare, ...leaving([], unsandboxed, {})];
}

/** Code is not parsed: where nothing confines it, it could do anything. */
async function codeFinding(tool: string, texts: readonly string[], host: CallHost): Promise<Finding> {
  const profile = await host.profile();
  if (profile !== 'full') return { tier: 1, reason: `\`${tool}\` runs code in a sandbox (${profile})` };
  const { DESTRUCTIVE_CODE } = await import('./judge/rules/interpreters.ts');
  const deletes = texts.some((text) => DESTRUCTIVE_CODE.test(text));
  const what = deletes ? 'code that deletes' : 'code';
  return { tier: deletes ? 3 : 2, reason: `\`${tool}\` runs ${what} without a sandbox` };
}

/** Leaving the sandbox is asked about by itself, for every program of the command. */
function leaving(findings: readonly Finding[], reason: string, env: Readonly<Record<string, string>>): Finding[] {
  const why = reason.trim() === '' ? '' : ` (${reason.trim().slice(0, 200)})`;
  const leaves: Finding = { tier: 2, reason: `it runs outside of the sandbox${why}`, leaves: 'outside' };
  const programs = findings.flatMap(({ argv }) => (argv ? [argv] : []));
  if (programs.length === 0) return [leaves];
  const distinct = new Map(programs.map((argv) => [JSON.stringify(argv), argv]));
  // No rule about words can mean variables, which may name other programs and code.
  const names = Object.keys(env);
  const variables = names.length === 0 ? [] : [{ ...leaves, reason: `${leaves.reason} with ${names.join(', ')} set` }];
  return [...[...distinct.values()].map((argv) => ({ ...leaves, argv })), ...variables];
}

/** Parts of the input of a command that change how much is shown, not what is done. */
const DISPLAY_KEYS = new Set(['timeout', 'head', 'tail', 'title', 'description']);

/** The fingerprint of a call: the same tool, input and folder give the same. */
export function digestOf(
  { tool, input, touches, fingerprint }: Pick<ToolCallEvent, 'tool' | 'input' | 'touches' | 'fingerprint'>,
  folder: string,
): string {
  const isKept = (key: string) => !runsCommand(touches) || !DISPLAY_KEYS.has(key);
  const normal = Object.fromEntries(Object.entries(input).filter(([key]) => isKept(key)));
  // A shell may have gone elsewhere since somebody said yes.
  const elsewhere = (touches.commands ?? []).map(({ cwd }) => cwd).filter((cwd) => cwd !== folder);
  // Nor does a yes to a function hold for another one of the same name.
  const defined = (touches.commands ?? []).flatMap(namedDefinitions);
  return createHash('sha256')
    .update(
      JSON.stringify([
        tool,
        folder,
        sorted(normal),
        ...elsewhere,
        ...(defined.length === 0 ? [] : [{ defined }]),
        ...(fingerprint === undefined ? [] : [{ fingerprint }]),
      ]),
    )
    .digest('hex');
}

/** The definitions that a command names. */
function namedDefinitions({ text, definitions }: TouchedCommand): (readonly [string, string])[] {
  const { functions = {}, aliases = {} } = definitions ?? {};
  return [...Object.entries(functions), ...Object.entries(aliases)]
    .filter(([name]) => text.includes(name))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
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

/** Whether a call runs commands that are parsed, word by word. */
export function runsCommand({ commands = [] }: Touches): boolean {
  return commands.some(({ language }) => language === undefined);
}

/** One line that says what a call would do. */
export function summaryOf({ tool, input, touches }: Pick<ToolCallEvent, 'tool' | 'input' | 'touches'>): string {
  const [only, ...others] = touches.commands ?? [];
  // A command on another machine is not told without the machine, nor an operation without what it is about.
  const isPart = input['command'] !== undefined || input['op'] !== undefined;
  const declared = isPart && others.length === 0 ? only?.text : undefined;
  const main = declared ?? input['command'] ?? input['path'] ?? input['url'] ?? input['op'];
  const text = typeof main === 'string' ? main : JSON.stringify(input);
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ').trim();
  return `${tool}: ${line.length > 200 ? `${line.slice(0, 199)}…` : line}`;
}
