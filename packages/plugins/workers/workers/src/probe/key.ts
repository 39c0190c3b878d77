/** Finds out whether a key is valid without spending tokens. */
import { execFile } from 'node:child_process';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { DiagnosticCheck } from '../api.ts';
import type { KeyProbe, WorkerSpec } from '../spec.ts';
import { headroom, headroomText, orUsedUp } from './headroom.ts';

const LIMIT_MS = 10_000;

type Env = Readonly<Record<string, string | undefined>>;
type Answer = { readonly status: number; readonly headers: Headers };

/** The checks of key and rate limit. */
export async function checkKey(
  spec: Pick<WorkerSpec, 'name' | 'probe' | 'keyVariables'>,
  env: Env,
  signal: AbortSignal,
  offline: boolean,
): Promise<readonly DiagnosticCheck[]> {
  const { probe = { kind: 'none' as const }, name } = spec;
  if (probe.kind === 'none') return both('skip', `${name} manages its login itself.`);
  const variable = (probe.variables ?? spec.keyVariables).find((each) => env[each]);
  const key = variable === undefined ? undefined : env[variable];
  if (variable === undefined || key === undefined) return withoutKey(spec, probe, env, signal, offline);
  const base = probe.base && env[probe.base.variable];
  // A key for another server has another form.
  if (probe.pattern !== undefined && !base && !new RegExp(probe.pattern, 'u').test(key))
    return [
      keyCheck('fail', `The key in ${variable} has not the form of a key of ${name}. Correct or remove the variable.`),
      limitCheck('skip', 'The key is not valid.'),
    ];
  if (probe.kind === 'format' || probe.url === undefined || offline) {
    const how = probe.pattern === undefined ? 'is set' : 'has the right form';
    return [
      keyCheck('pass', `The key in ${variable} ${how}.`, { variable }),
      limitCheck('skip', 'No provider was asked.'),
    ];
  }
  try {
    return fromAnswer(variable, await ask(probe, probe.url, key, base, signal));
  } catch (fault) {
    // Without a network the CLI fails, too, and says why.
    return both('skip', `The provider could not be asked: ${plainLine(reasonOf(fault))}`);
  }
}

async function withoutKey(
  { name, keyVariables }: Pick<WorkerSpec, 'name' | 'keyVariables'>,
  { fallback, variables = keyVariables }: KeyProbe,
  env: Env,
  signal: AbortSignal,
  offline: boolean,
): Promise<readonly DiagnosticCheck[]> {
  const none = `${variables.join(' and ')} ${variables.length > 1 ? 'are' : 'is'} not set`;
  const limit = limitCheck('skip', 'Only keys have limits that can be asked for.');
  const [program, ...args] = fallback ?? [];
  if (program !== undefined && !offline && (await succeeds(program, args, env, signal)))
    return [keyCheck('pass', `${none}; \`${[program, ...args].join(' ')}\` shows a login.`), limit];
  return [keyCheck('pass', `${none}: ${name} uses its own login.`), limit];
}

function ask(
  { headers = {}, base }: KeyProbe,
  url: string,
  key: string,
  server: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const target = server && base ? `${server.replace(/\/+$/, '')}${base.path}` : url;
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{key}', key)] as const);
  return fetch(target, {
    headers: Object.fromEntries(filled),
    // Wherever a redirect leads, the key does not belong there.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
  }).then(async (response) => {
    await response.body?.cancel();
    return response;
  });
}

function fromAnswer(variable: string, { status, headers }: Answer): readonly DiagnosticCheck[] {
  const detail = { variable, status };
  if (status === 401 || status === 403)
    return [
      keyCheck('fail', `The provider refuses the key in ${variable} (${status}). Replace it.`, detail),
      limitCheck('skip', 'The key is not valid.'),
    ];
  const found = status === 429 ? orUsedUp(headroom(headers), headers) : headroom(headers);
  const limit =
    status === 429 || found.some(({ remaining }) => remaining <= 0)
      ? limitCheck('fail', `The rate limit is reached${headroomText(found, headers)}.`, { windows: found })
      : found.length > 0
        ? limitCheck('pass', `There is room${headroomText(found, headers)}.`, { windows: found })
        : limitCheck('skip', 'The provider says nothing about limits.');
  if (status === 429 || (status >= 200 && status < 300))
    return [keyCheck('pass', `The provider accepts the key in ${variable}.`, detail), limit];
  return [keyCheck('skip', `The provider answered ${status}, which says nothing about the key.`, detail), limit];
}

function succeeds(program: string, args: readonly string[], env: Env, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    // What it prints is a token: only whether it works counts.
    const child = execFile(program, [...args], { env: { ...env }, signal, timeout: LIMIT_MS }, (fault) =>
      resolve(!fault),
    );
    child.stdin?.end();
  });
}

function reasonOf(fault: unknown): string {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  return messageOf(cause);
}

type Status = DiagnosticCheck['status'];

function keyCheck(status: Status, message: string, detail?: DiagnosticCheck['detail']): DiagnosticCheck {
  return { id: 'key-valid', status, message, ...(detail && { detail }) };
}

function limitCheck(status: Status, message: string, detail?: DiagnosticCheck['detail']): DiagnosticCheck {
  return { id: 'rate-limit', status, message, ...(detail && { detail }) };
}

function both(status: Status, message: string): readonly DiagnosticCheck[] {
  return [keyCheck(status, message), limitCheck(status, message)];
}
