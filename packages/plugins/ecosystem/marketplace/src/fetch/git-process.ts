/** Runs git so that a repository of a stranger is data: no hooks, filters, prompts, submodules or unusual protocols. */
import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { ByteReader } from '../tree/byte-reader.ts';

/** One run of git. */
export interface GitCall {
  readonly args: readonly string[];
  /** What it is for, as the words between "git could not" and the address. */
  readonly what: string;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly input?: string;
  /** More output than this ends it. */
  readonly maxOutput?: number;
  /** Asked now and then while git runs; a sentence ends it. */
  readonly watch?: () => Promise<string | undefined>;
}

/** How a run ended. */
export interface GitResult {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

/** Only what git and ssh need to reach a server as the user would. Everything else, GIT_* above all, stays behind. */
const KEPT = [
  'PATH HOME USER LOGNAME TMPDIR XDG_CONFIG_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK SSH_AGENT_PID',
  'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH SYSTEMROOT USERPROFILE APPDATA',
].flatMap((line) => line.split(' '));

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=',
  'core.attributesFile=/dev/null',
  'fetch.recurseSubmodules=false',
  'submodule.recurse=false',
  'transfer.bundleURI=false',
  'protocol.version=2',
  'http.followRedirects=initial',
  'http.lowSpeedLimit=500',
  'http.lowSpeedTime=60',
  'gc.auto=0',
  'maintenance.auto=false',
];

const WATCH_MS = 250;
const DEFAULT_MAX_OUTPUT = 64 * 1024 * 1024;

/** What git may use for an address. Many people have git use ssh where https is written, so the two stand for each other. */
function protocolsFor(url: string): string {
  const protocol = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? 'ssh';
  return protocol === 'https' || protocol === 'ssh' ? 'https:ssh' : protocol;
}

function environment(url: string): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: protocolsFor(url),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_FLUSH: '1',
  };
}

function start(repository: string, args: readonly string[], url: string) {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  return spawn('git', [`--git-dir=${repository}`, ...settings, ...args], {
    env: environment(url),
    // A group of its own, so that what git starts (ssh, remote helpers) ends with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Runs git in a repository (a bare one, of the cache) and gives how it ended. Only what git itself says is no error here. */
export async function runGit(repository: string, call: GitCall): Promise<GitResult> {
  const { args, url, signal, input, maxOutput = DEFAULT_MAX_OUTPUT, watch } = call;
  signal.throwIfAborted();
  const child = start(repository, args, url);
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped ??= reason;
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself in the meantime.
    }
  };
  const aborted = () => stop('it was interrupted');
  signal.addEventListener('abort', aborted);
  const timer =
    watch && setInterval(() => void watch().then((reason) => reason !== undefined && stop(reason)), WATCH_MS);
  try {
    const chunks: Buffer[] = [];
    let [size, err] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) stop('it gave too much');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => (err = (err + chunk.toString()).slice(-8_000)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', (fault) =>
        reject(errors.create('MARKETPLACE_GIT_MISSING', { url, reason: messageOf(fault) }, fault)),
      );
      child.on('close', (status) => resolve(status ?? -1));
    });
    signal.throwIfAborted();
    if (stopped !== undefined) throw failed(call, stopped);
    return { code, out: Buffer.concat(chunks), err };
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', aborted);
  }
}

/** The same, where anything but success is an error. */
export async function git(repository: string, call: GitCall): Promise<Buffer> {
  const { code, out, err } = await runGit(repository, call);
  if (code !== 0) throw failed(call, lastWords(err) || `it ended with code ${code}`);
  return out;
}

/** The contents of files, one after the other. */
export interface Blobs {
  /** The bytes of the next file, which must have this size; to be read before the next one is asked for. */
  next(size: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Reads the contents of many files with one process. */
export function readBlobs(
  repository: string,
  { what, url, signal }: Pick<GitCall, 'what' | 'url' | 'signal'>,
  oids: readonly string[],
): Blobs {
  const child = start(repository, ['cat-file', '--batch'], url);
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stderr.resume();
  const abort = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', abort);
  child.stdin.end(oids.map((oid) => `${oid}\n`).join(''));
  // Node drops what a process wrote when it ends before anybody reads; the pipe reads from the start.
  const reader = new ByteReader(child.stdout.pipe(new PassThrough()));
  const cutOff = (): never => {
    signal.throwIfAborted();
    throw failed({ what, url }, 'a file of it cannot be read');
  };
  let index = 0;
  return {
    async *next(size) {
      const header = await reader.line(200);
      if (header !== `${oids[index++]} blob ${size}`) cutOff();
      reader.openStream(size);
      yield* reader.stream(cutOff);
      await reader.take(1);
    },
    async close() {
      signal.removeEventListener('abort', abort);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The error for a run that failed. */
export function failed({ what, url }: Pick<GitCall, 'what' | 'url'>, reason: string) {
  return errors.create('MARKETPLACE_GIT_FAILED', { what, url, reason });
}

/** What git said last, without what only explains it. */
export function lastWords(err: string): string {
  const lines = err
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return (lines.findLast((line) => /^(?:fatal|error|remote):/.test(line)) ?? lines.at(-1) ?? '').slice(0, 500);
}
