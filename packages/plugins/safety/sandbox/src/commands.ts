/** `tenon sandbox status` and `tenon sandbox run`. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { CommandCall } from '@tenon/command-line/api';
import { TenonError } from '@tenon/kernel';
import type { Profile, Sandboxes } from './api.ts';
import { noticeOf } from './doctor-check.ts';
import { errors } from './errors.ts';
import type { MechanismChoice } from './find-mechanism.ts';
import type { ProfileChoice } from './sandboxes.ts';
import type { SandboxSettings } from './generated/settings.ts';

const PROFILES: readonly string[] = ['read-only', 'workspace-write', 'full'];

/** What `status` shows. */
export interface StatusParts {
  readonly choice: MechanismChoice;
  readonly profile: ProfileChoice;
  readonly settings: SandboxSettings;
}

/** `tenon sandbox status` */
export async function showStatus(
  service: Sandboxes,
  parts: StatusParts,
  { io, flags, cwd }: CommandCall,
): Promise<number> {
  const { choice, profile, settings } = parts;
  const { text, problem } = await described(service, cwd, profile.profile);
  const warning = noticeOf(choice, profile, settings);
  const code = problem === undefined ? 0 : 1;
  if (flags['json']) {
    await io.json({
      profile: profile.profile,
      reason: profile.reason,
      mechanism: profile.profile === 'full' ? null : (choice.mechanism ?? null),
      mechanisms: choice.abilities,
      outer: choice.outer,
      network: settings.network,
      required: settings.required,
      describe: text,
      ...(warning !== undefined && { warning }),
      ...(problem && { problem: problem.toJSON() }),
    });
    return code;
  }
  const rows = Object.entries(choice.abilities).map(
    ([name, { available, detail }]) => `  ${available ? 'works' : 'no   '}  ${name}: ${detail}\n`,
  );
  const outer = choice.outer.map((sign) => `  ${sign}\n`);
  await io.out(
    [
      `Profile: ${profile.profile} (${profile.reason})\n`,
      `${text}\n`,
      ...(settings.required ? ['Nothing runs without a sandbox (sandbox.required).\n'] : []),
      ...(warning === undefined ? [] : [`Warning: ${warning}\n`]),
      '\nWhat this machine offers:\n',
      ...rows,
      ...(outer.length > 0 ? ['\nTenon itself runs inside of:\n', ...outer] : []),
    ].join(''),
  );
  return code;
}

/** What holds, or why nothing can: then nothing runs. */
async function described(
  service: Sandboxes,
  cwd: string,
  profile: Profile,
): Promise<{ text: string; problem?: TenonError }> {
  try {
    const confinement = await service.wrap({ cwd, profile });
    await confinement.dispose();
    return { text: confinement.describe() };
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    return { text: `No program runs: ${fault.message} ${fault.next}`, problem: fault };
  }
}

/** `tenon sandbox run` */
export async function runConfined(service: Sandboxes, { args, flags, io, cwd, signal }: CommandCall): Promise<number> {
  const [program, ...rest] = Array.isArray(args['command']) ? args['command'] : [];
  if (program === undefined) throw errors.create('SANDBOX_COMMAND_MISSING');
  const profile = flags['profile'];
  if (profile !== undefined && !PROFILES.includes(String(profile))) {
    throw errors.create('SANDBOX_PROFILE_UNKNOWN', { profile });
  }
  const confinement = await service.wrap({
    cwd,
    terminal: io.interactive,
    ...(profile !== undefined && { profile: profile as Profile }),
  });
  try {
    const words = [...confinement.argv, program, ...rest] as [string, ...string[]];
    const work = () => runHere(words, { ...process.env, ...confinement.env }, cwd, signal);
    return await (io.handOver ? io.handOver(work) : work());
  } finally {
    await confinement.dispose();
  }
}

function runHere([file, ...args]: [string, ...string[]], env: NodeJS.ProcessEnv, cwd: string, signal: AbortSignal) {
  return new Promise<number>((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', env, cwd });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (fault) =>
      reject(errors.create('SANDBOX_START_FAILED', { command: file, reason: fault.message }, fault)),
    );
    child.once('exit', (code, name) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 128 + (name ? constants.signals[name] : 0));
    });
  });
}
