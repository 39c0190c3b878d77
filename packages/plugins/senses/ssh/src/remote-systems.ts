/** What runs over there: found out once, and remembered. */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@tenon/state-files';
import { plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';

/** Which shell takes the commands. */
export type ShellFamily = 'posix' | 'powershell' | 'cmd';

/** What is known about a machine. */
export interface RemoteSystem {
  readonly family: ShellFamily;
  /** `Linux x86_64`, `Darwin arm64`, `Windows`; empty when it does not say. */
  readonly system: string;
  /** The login shell, when it says. */
  readonly shell: string;
}

/** Reads the answer to the probe. A shell that cannot make anything of it (csh) still has a \`/bin/sh\` beside it. */
export function readProbe(answer: string): RemoteSystem {
  const [, shell = '', os = '', version = ''] = /tenon\|([^|\n]*)\|([^|\n]*)\|([^|\n]*)/.exec(answer) ?? [];
  if (os === 'Windows_NT') return { family: 'cmd', system: 'Windows', shell: 'cmd' };
  if (/Hashtable/.test(version)) return { family: 'powershell', system: 'Windows', shell: 'PowerShell' };
  const system = answer
    .split('\n')
    .map(plainLine)
    .find((line) => /^[A-Z]\w+ [\w-]+$/.test(line));
  return { family: 'posix', system: system ?? '', shell: shell.startsWith('/') ? plainLine(shell).slice(0, 200) : '' };
}

const VERSION = 1;
const KEPT_MS = 7 * 24 * 3600 * 1000;
const FAMILIES = new Set<unknown>(['posix', 'powershell', 'cmd']);

/** Remembers what runs on which machine, in memory and in the cache folder. */
export class RemoteSystems {
  readonly #folder: string;
  readonly #known = new Map<string, RemoteSystem>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is remembered; undefined when it was never found out, or long ago. */
  async known(host: KnownHost): Promise<RemoteSystem | undefined> {
    const file = this.#fileOf(host);
    const remembered = this.#known.get(file);
    if (remembered) return remembered;
    // What is missing or damaged is found out again.
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const stored = text === undefined ? undefined : readStored(text);
    if (stored) this.#known.set(file, stored);
    return stored;
  }

  async remember(host: KnownHost, system: RemoteSystem): Promise<void> {
    const file = this.#fileOf(host);
    this.#known.set(file, system);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await replaceFile(file, `${JSON.stringify({ version: VERSION, at: Date.now(), system })}\n`);
    } catch {
      // A cache that cannot be written costs one more question next time, not the command.
    }
  }

  #fileOf({ name, host, user, port }: KnownHost): string {
    const key = createHash('sha256')
      .update(JSON.stringify([name, host, user, port]))
      .digest('hex')
      .slice(0, 24);
    return join(this.#folder, `${key}.json`);
  }
}

function readStored(text: string): RemoteSystem | undefined {
  let stored: { version?: unknown; at?: unknown; system?: Partial<RemoteSystem> } | null;
  try {
    stored = JSON.parse(text) as typeof stored;
  } catch {
    return undefined; // Damaged: found out again.
  }
  const { version, at, system } = stored ?? {};
  if (version !== VERSION || typeof at !== 'number' || Date.now() - at > KEPT_MS) return undefined;
  const { family, system: name, shell } = system ?? {};
  if (!family || !FAMILIES.has(family) || typeof name !== 'string' || typeof shell !== 'string') return undefined;
  return { family, system: name, shell };
}
