/** What a worker finds in its environment: the caller's variables without secrets that are not its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_VARIABLE } from '@tenon/host';
import { isSecretVariable } from '@tenon/sandbox/api';
import { replaceFile } from '@tenon/state-files';
import type { WorkerSpec } from '@tenon/workers/api';
import { RUN_VARIABLE } from './launcher.ts';

/** Variables of the program that asked for a run, which mean nothing to a worker or would confuse it. */
const OF_CALLER = /^(?:TENON_(?:AGENT|SHELL|SANDBOX|RUN|SET)|INIT_CWD|NODE_CHANNEL_FD|NODE_UNIQUE_ID|npm_.*)$/;

type Variables = Readonly<Record<string, string | undefined>>;

const fileIn = (runFolder: string) => join(runFolder, 'environment.json');

/** Keeps the variables of who asked for the run, for whoever starts it. Secrets are not written down. */
export async function keepEnvironment(runFolder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const entries = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !OF_CALLER.test(name) && !isSecretVariable(name, value),
  );
  await replaceFile(fileIn(runFolder), JSON.stringify(Object.fromEntries(entries)), { flush: false });
}

/** The variables of who asked for the run; those of this process where they were not kept. */
export async function keptEnvironment(runFolder: string, own: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(fileIn(runFolder), 'utf8')) as Record<string, string>;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    return withoutSecrets(own);
  }
}

function withoutSecrets(env: NodeJS.ProcessEnv): Record<string, string> {
  return defined(
    Object.fromEntries(
      Object.entries(env).filter(
        ([name, value]) => value !== undefined && !OF_CALLER.test(name) && !isSecretVariable(name, value),
      ),
    ),
  );
}

/** What an environment is made of, weakest first. */
export interface EnvironmentParts {
  /** The caller's variables, without secrets. */
  readonly kept: Variables;
  /** This process's variables, of which a worker gets its own keys. */
  readonly own: NodeJS.ProcessEnv;
  readonly spec: Pick<WorkerSpec, 'keyVariables' | 'keepVariables' | 'dropVariables' | 'env'>;
  /** Whether an account is injected, which then is the only one. */
  readonly hasAccount: boolean;
  /** Of the sandbox, the adapter, the account and the request. */
  readonly sandbox: Variables;
  readonly adapter: Variables;
  readonly injected: Variables;
  readonly request: Variables;
  /** `<run>:<session>`. */
  readonly mark: string;
}

/** The environment of a worker. */
export function workerEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { kept, own, spec, hasAccount } = parts;
  const keys = Object.fromEntries(spec.keyVariables.map((name) => [name, hasAccount ? undefined : own[name]]));
  const dropped = Object.fromEntries((spec.dropVariables ?? []).map((name) => [name, undefined]));
  const known = hasAccount ? { ...kept, ...keys } : { ...kept, ...defined(keys) };
  return defined({
    ...known,
    ...parts.sandbox,
    // The sandbox withholds every secret and whole families of names; those of this worker come back.
    ...defined(Object.fromEntries((spec.keepVariables ?? []).map((name) => [name, kept[name]]))),
    ...defined(keys),
    ...dropped,
    ...spec.env,
    ...parts.adapter,
    ...parts.request,
    ...parts.injected,
    [AGENT_VARIABLE]: String(process.pid),
    [RUN_VARIABLE]: parts.mark,
  });
}

function defined(env: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
