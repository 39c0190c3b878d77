/** Fills in the variables of a server's configuration. Only for configurations that are trusted: a value may be a command. */
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import type { McpServerConfig } from '@tenon/discovery/api';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';

/** What variables stand for. */
export interface VariableHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The folder that the session works in. */
  readonly cwd: string;
  /** Ends commands that fill in a value. */
  readonly signal?: AbortSignal;
  /** Asks the user for `${input:ID}`; undefined when nobody answers. */
  ask(question: string): Promise<string | undefined>;
}

/** A configuration in which nothing is left to fill in. */
export type ResolvedConfig = Omit<McpServerConfig, 'variableRules' | 'variables'>;

type Rules = ReadonlySet<McpServerConfig['variableRules'][number]>;

const COMMAND_MS = 10_000;
const MAX_OUTPUT = 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024;

/** Fills in all variables. Rejects with an error that says which variable is missing. */
export async function resolveVariables(config: McpServerConfig, host: VariableHost): Promise<ResolvedConfig> {
  const { variableRules, variables: _own, ...plain } = config;
  const rules: Rules = new Set(variableRules);
  const fill = (text: string) => fillText(text, { config, rules, host });
  const value = async (text: string) => {
    const named = rules.has('names') ? await byName(text, host) : text;
    return named === undefined ? undefined : fill(named);
  };
  return {
    ...plain,
    ...(plain.command !== undefined && { command: await fill(plain.command) }),
    ...(plain.args && { args: await Promise.all(plain.args.map(fill)) }),
    ...(plain.env && { env: await mapValues(plain.env, value) }),
    ...(plain.cwd !== undefined && { cwd: await fill(plain.cwd) }),
    ...(plain.url !== undefined && { url: await fill(plain.url) }),
    ...(plain.headers && { headers: await mapValues(plain.headers, value) }),
    ...(plain.auth && { auth: await fillStrings(plain.auth, value) }),
    ...(plain.oauth && { oauth: await fillStrings(plain.oauth, value) }),
  };
}

/** Leaves out what has no value: a command that failed or printed nothing. */
async function mapValues(
  values: Readonly<Record<string, string>>,
  fill: (text: string) => Promise<string | undefined>,
): Promise<Record<string, string>> {
  const filled = await Promise.all(
    Object.entries(values).map(async ([name, text]) => [name, await fill(text)] as const),
  );
  return Object.fromEntries(filled.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function fillStrings(
  values: Readonly<Record<string, unknown>>,
  fill: (text: string) => Promise<string | undefined>,
): Promise<Record<string, unknown>> {
  const fillAny = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isSection ? fillStrings(value as Readonly<Record<string, unknown>>, fill) : value;
  };
  const filled = await Promise.all(
    Object.entries(values).map(async ([name, value]) => [name, await fillAny(value)] as const),
  );
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** `!command` becomes what it prints, the name of a variable its value; everything else stays. */
async function byName(text: string, host: VariableHost): Promise<string | undefined> {
  return text.startsWith('!') ? run(text.slice(1), host) : host.env[text] || text;
}

/** What a command prints; nothing when it fails. When it takes too long it is ended, with all that it started. */
function run(command: string, { env, cwd, signal }: VariableHost): Promise<string | undefined> {
  const isWindows = process.platform === 'win32';
  const [file, args] = isWindows ? ['cmd.exe', ['/d', '/s', '/c', command]] : ['/bin/sh', ['-c', command]];
  const ended = AbortSignal.any([AbortSignal.timeout(COMMAND_MS), ...(signal ? [signal] : [])]);
  return new Promise((done) => {
    if (ended.aborted) return done(undefined);
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      detached: !isWindows,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(isWindows ? child.pid : -child.pid, 'SIGKILL');
      } catch (fault) {
        // It ended by itself in this very moment.
        if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
      }
    };
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_OUTPUT) kill();
    });
    const finish = (code: number | null) => {
      ended.removeEventListener('abort', kill);
      done(code === 0 ? text.trim() || undefined : undefined);
    };
    ended.addEventListener('abort', kill, { once: true });
    child.once('error', () => finish(null));
    child.once('close', finish);
  });
}

interface Fill {
  readonly config: McpServerConfig;
  readonly rules: Rules;
  readonly host: VariableHost;
}

const PATTERN = /\$\{([^}]*)\}|\{(env|file):([^}]*)\}/g;

async function fillText(text: string, fill: Fill): Promise<string> {
  const matches = [...text.matchAll(PATTERN)];
  if (matches.length === 0) return text;
  const values = await Promise.all(
    matches.map(async ([whole, dollar, kind, name]) =>
      dollar === undefined ? opencode(whole, kind ?? '', name ?? '', fill) : braces(whole, dollar, fill),
    ),
  );
  let at = 0;
  const parts: string[] = [];
  for (const [index, match] of matches.entries()) {
    parts.push(text.slice(at, match.index), values[index] ?? '');
    at = match.index + match[0].length;
  }
  return parts.join('') + text.slice(at);
}

async function opencode(whole: string, kind: string, name: string, { config, rules, host }: Fill): Promise<string> {
  if (!rules.has('opencode')) return whole;
  if (kind === 'env') return host.env[name] ?? '';
  const from = name.startsWith('~/') ? resolve(host.home, name.slice(2)) : resolve(dirname(config.path), name);
  return (await readStart(from, config)).trim();
}

async function readStart(file: string, { name: server, path }: McpServerConfig): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (fault) {
    const what = `The file ${file} (${messageOf(fault)})`;
    throw errors.create('MCP_VARIABLE_MISSING', { what, server, file: path }, fault);
  }
}

async function braces(whole: string, inside: string, { config, rules, host }: Fill): Promise<string> {
  const own = config.variables?.[inside];
  if (own !== undefined) return own;
  if (rules.has('vscode')) {
    const value = await vscode(inside, config, host);
    if (value !== undefined) return value;
  }
  if (!rules.has('braces')) return whole;
  const [, name = inside, fallback] = /^([^:]+)(?::-(.*))?$/s.exec(inside) ?? [];
  const value = host.env[name] || fallback;
  if (value !== undefined) return value;
  if (host.env[name] === '') return '';
  throw errors.create('MCP_VARIABLE_MISSING', {
    what: `The variable ${name}`,
    server: config.name,
    file: config.path,
  });
}

async function vscode(inside: string, config: McpServerConfig, host: VariableHost): Promise<string | undefined> {
  const [kind = '', name = ''] = inside.split(/:(.*)/s);
  if (kind === 'env') return host.env[name] ?? '';
  if (kind === 'input') {
    const answer = await host.ask(`The MCP server "${config.name}" asks for ${name}`);
    if (answer !== undefined) return answer;
    const what = `The input "${name}", which somebody has to type,`;
    throw errors.create('MCP_VARIABLE_MISSING', { what, server: config.name, file: config.path });
  }
  const values: Readonly<Record<string, string>> = {
    workspaceFolder: host.cwd,
    workspaceFolderBasename: basename(host.cwd),
    userHome: host.home,
    cwd: host.cwd,
    pathSeparator: sep,
    '/': sep,
  };
  return values[inside];
}
