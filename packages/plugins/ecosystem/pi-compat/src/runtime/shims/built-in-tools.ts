/**
 * `createReadTool(cwd)` and its like: extensions wrap them to change how a tool of pi works. They work where the extension
 * runs, so the sandbox of the extension is also theirs.
 */
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import { truncateHead, truncateLine, truncateTail } from './truncate.ts';

type Fields = Record<string, unknown>;
type Update = (partial: unknown) => void;
type Execute = (id: string, input: Fields, signal?: AbortSignal, update?: Update) => Promise<unknown>;

interface Operations {
  readFile?(path: string): Promise<Buffer>;
  writeFile?(path: string, content: string): Promise<void>;
  mkdir?(path: string): Promise<void>;
  access?(path: string): Promise<void>;
  exec?(
    command: string,
    cwd: string,
    options: { onData(data: Buffer): void; signal?: AbortSignal; timeout?: number; env?: NodeJS.ProcessEnv },
  ): Promise<{ exitCode: number | null }>;
}

interface Options {
  readonly operations?: Operations;
  readonly commandPrefix?: string;
  readonly spawnHook?: (context: { command: string; cwd: string; env: NodeJS.ProcessEnv }) => {
    command: string;
    cwd: string;
    env: NodeJS.ProcessEnv;
  };
}

const text = (value: string, details?: unknown) => ({ content: [{ type: 'text', text: value }], details });
const path = Type.String({ description: 'Path, relative or absolute' });

function tool(name: string, description: string, parameters: unknown, execute: Execute): Fields {
  return { name, label: name, description, parameters, execute };
}

/** Reads a file. */
export function createReadTool(cwd: string, { operations = {} }: Options = {}): Fields {
  const parameters = Type.Object({
    path,
    offset: Type.Optional(Type.Number({ description: 'First line, from 1' })),
    limit: Type.Optional(Type.Number({ description: 'Number of lines' })),
  });
  return tool('read', 'Read a file.', parameters, async (_id, input) => {
    const bytes = await (operations.readFile ?? readFile)(resolve(cwd, String(input['path'])));
    const lines = bytes.toString('utf8').split('\n');
    const from = Math.max(1, Number(input['offset'] ?? 1));
    const wanted = lines.slice(from - 1, input['limit'] === undefined ? undefined : from - 1 + Number(input['limit']));
    const cut = truncateHead(wanted.join('\n'));
    const last = from + cut.outputLines - 1;
    const more =
      last < lines.length ? `\n\n[Lines ${from}-${last} of ${lines.length}. Go on with offset=${last + 1}.]` : '';
    return text(cut.content + more, cut.truncated ? { truncation: cut } : undefined);
  });
}

/** Writes a file. */
export function createWriteTool(cwd: string, { operations = {} }: Options = {}): Fields {
  const parameters = Type.Object({ path, content: Type.String() });
  return tool('write', 'Write a file.', parameters, async (_id, input) => {
    const file = resolve(cwd, String(input['path']));
    const content = String(input['content'] ?? '');
    await (operations.mkdir ?? ((folder) => mkdir(folder, { recursive: true })))(dirname(file));
    await (operations.writeFile ?? writeFile)(file, content);
    return text(`Wrote ${Buffer.byteLength(content)} bytes to ${String(input['path'])}.`);
  });
}

/** Replaces text in a file. */
export function createEditTool(cwd: string, { operations = {} }: Options = {}): Fields {
  const parameters = Type.Object({ path, oldText: Type.String(), newText: Type.String() });
  return tool('edit', 'Replace a text that occurs once in a file.', parameters, async (_id, input) => {
    const file = resolve(cwd, String(input['path']));
    const before = (await (operations.readFile ?? readFile)(file)).toString('utf8');
    const edits = (input['edits'] ?? [input]) as { oldText: string; newText: string }[];
    let after = before;
    for (const { oldText, newText } of edits) {
      const count = after.split(oldText).length - 1;
      if (count !== 1) throw new Error(`The text to replace occurs ${count} times in ${String(input['path'])}.`);
      after = after.replace(oldText, () => newText);
    }
    await (operations.writeFile ?? writeFile)(file, after);
    return text(`Changed ${String(input['path'])}.`, { diff: '' });
  });
}

/** Runs shell commands. */
export function createBashTool(cwd: string, options: Options = {}): Fields {
  const parameters = Type.Object({
    command: Type.String(),
    timeout: Type.Optional(Type.Number({ description: 'Seconds' })),
  });
  return tool('bash', 'Run a shell command.', parameters, async (_id, input, signal, update) => {
    const prefixed = [options.commandPrefix, String(input['command'])].filter(Boolean).join('\n');
    const context = { command: prefixed, cwd, env: process.env };
    const { command, cwd: folder, env } = options.spawnHook?.(context) ?? context;
    let output = '';
    const onData = (data: Buffer) => {
      output += data.toString('utf8');
      update?.(text(truncateTail(output).content));
    };
    const timeout = input['timeout'] === undefined ? {} : { timeout: Number(input['timeout']) };
    const exec = options.operations?.exec ?? createLocalBashOperations().exec;
    const { exitCode } = await exec(command, folder, { onData, env, ...timeout, ...(signal && { signal }) });
    const cut = truncateTail(output);
    if (exitCode !== 0) throw new Error(`${cut.content}\n\nCommand exited with code ${exitCode}`);
    return text(cut.content === '' ? '(no output)' : cut.content, cut.truncated ? { truncation: cut } : undefined);
  });
}

/** The part of `bash` that starts programs. */
export function createLocalBashOperations(): Required<Pick<Operations, 'exec'>> {
  return {
    exec: (command, cwd, { onData, signal, timeout, env }) =>
      new Promise((done, fail) => {
        const child = spawn('bash', ['-c', command], {
          cwd,
          env: env ?? process.env,
          stdio: ['ignore', 'pipe', 'pipe'],
          ...(signal && { signal }),
          ...(timeout !== undefined && { timeout: timeout * 1_000 }),
        });
        for (const stream of [child.stdout, child.stderr]) stream.on('data', onData);
        child.on('error', fail);
        child.on('close', (exitCode) => done({ exitCode }));
      }),
  };
}

/** Lists a folder. */
export function createLsTool(cwd: string): Fields {
  const parameters = Type.Object({ path: Type.Optional(path), limit: Type.Optional(Type.Number()) });
  return tool('ls', 'List a folder.', parameters, async (_id, input) => {
    const entries = await readdir(resolve(cwd, String(input['path'] ?? '.')), { withFileTypes: true });
    const names = entries.map((entry) => entry.name + (entry.isDirectory() ? '/' : '')).sort();
    return text(names.slice(0, Number(input['limit'] ?? 500)).join('\n') || '(empty)');
  });
}

/** Finds files by name. */
export function createFindTool(cwd: string): Fields {
  const parameters = Type.Object({
    pattern: Type.String(),
    path: Type.Optional(path),
    limit: Type.Optional(Type.Number()),
  });
  return tool('find', 'Find files by a glob.', parameters, async (_id, input, signal) => {
    const root = resolve(cwd, String(input['path'] ?? '.'));
    const pattern = globToRegExp(String(input['pattern']));
    const limit = Number(input['limit'] ?? 1_000);
    const matches: string[] = [];
    for await (const file of walk(root, signal)) {
      const name = relative(root, file);
      if (pattern.test(name) || pattern.test(name.split('/').at(-1) ?? '')) matches.push(name);
      if (matches.length >= limit) break;
    }
    return text(matches.join('\n') || 'No files found.');
  });
}

/** Finds lines. */
export function createGrepTool(cwd: string): Fields {
  const parameters = Type.Object({
    pattern: Type.String(),
    path: Type.Optional(path),
    ignoreCase: Type.Optional(Type.Boolean()),
    literal: Type.Optional(Type.Boolean()),
    limit: Type.Optional(Type.Number()),
  });
  return tool('grep', 'Find lines by a regular expression.', parameters, async (_id, input, signal) => {
    const root = resolve(cwd, String(input['path'] ?? '.'));
    const source = input['literal']
      ? String(input['pattern']).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      : String(input['pattern']);
    const pattern = new RegExp(source, input['ignoreCase'] ? 'i' : '');
    const limit = Number(input['limit'] ?? 100);
    const matches: string[] = [];
    for await (const file of walk(root, signal)) {
      const lines = (await readFile(file, 'utf8')).split('\n');
      for (const [index, line] of lines.entries()) {
        if (matches.length < limit && pattern.test(line))
          matches.push(`${relative(root, file) || file}:${index + 1}: ${truncateLine(line).text}`);
      }
      if (matches.length >= limit) break;
    }
    return text(matches.join('\n') || 'No matches found.');
  });
}

const SKIPPED = new Set(['node_modules', '.git']);
const MAX_FILE = 1024 * 1024;

async function* walk(root: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  signal?.throwIfAborted();
  const about = await stat(root);
  if (about.isFile()) return void (about.size <= MAX_FILE && (yield root));
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const file = join(root, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* walk(file, signal);
    else if (entry.isFile() && (await stat(file)).size <= MAX_FILE) yield file;
  }
}

function globToRegExp(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\]|\*\*\/|\*\*|\*|\?/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}

const queues = new Map<string, Promise<unknown>>();

/** Lets changes of one file happen one after the other. */
export async function withFileMutationQueue<T>(file: string, work: () => Promise<T>): Promise<T> {
  const key = isAbsolute(file) ? file : resolve(file);
  const before = queues.get(key) ?? Promise.resolve();
  const done = before.then(work, work);
  const end = done.catch(() => undefined); // whoever asked for the work hears of its failure
  queues.set(key, end);
  try {
    return await done;
  } finally {
    if (queues.get(key) === end) queues.delete(key);
  }
}
