/** What Tenon may do in the name of a pack: with the pack's permissions, in the pack's sandbox, and never with more. */
import { basename } from 'node:path';
import { messageOf, type Permissions } from '@tenon/kernel';
import { prepareLaunch, type MechanismChoice } from '@tenon/sandbox/api';
import { errors } from './errors.ts';
import { createFetchBroker } from './fetch-broker.ts';
import { fetchThrough } from './host/fetch.ts';
import { envProblem } from './permissions.ts';
import type { Launch } from './sandbox/launch.ts';
import type { HostPolicy } from './sandbox/policy.ts';

/** A program that an entry of a pack names. */
export interface PackCommand {
  /** The program, by its name in PATH, and its arguments. */
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The rights of one pack. */
export interface PackRights {
  readonly plugin: string;
  /** What the user granted. */
  readonly permissions: Permissions;
  /** The variables of the environment that it may see. */
  environment(): Readonly<Record<string, string>>;
  /** The command line of a program in the pack's sandbox; the pack's folder is its working folder. Rejects when it may not run. */
  launch(command: PackCommand): Promise<Launch>;
  /** Makes requests to the hosts that the pack declares, and no others. */
  readonly fetch: typeof fetch;
}

/** What the rights are made of. */
export interface RightsParts {
  readonly plugin: string;
  readonly folder: string;
  readonly permissions: Permissions;
  policy(): HostPolicy;
  sandbox(): Promise<MechanismChoice>;
}

/** Variables that steer the shell and the programs around a sandbox, beyond those that no pack may see. */
const STEERS =
  /^(?:PATH|HOME|TMPDIR|PS\d|BASH.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_.*|MALLOC_.*|RES_.*|HOSTALIASES|LOCALDOMAIN|GETCONF_DIR|RESOLV_.*|CDPATH|OPT(?:IND|ARG|ERR)|PPID|UID|EUID|TZDIR)$/;

/** Makes the rights of a pack. */
export function packRights({ plugin, folder, permissions, policy, sandbox }: RightsParts): PackRights {
  const broker = createFetchBroker(plugin, permissions.net ?? []);
  return {
    plugin,
    permissions,
    environment: () =>
      Object.fromEntries(
        (permissions.env ?? []).flatMap((name) =>
          process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']],
        ),
      ),
    async launch({ argv, env = {} }) {
      const [program = '', ...args] = argv;
      const refuse = (reason: string, cause?: unknown) =>
        errors.create('PACK_HOST_LAUNCH_REFUSED', { plugin, command: program, reason }, cause);
      if (!permissions.exec?.includes(program))
        throw refuse(
          permissions.exec?.length ? `it may run only ${permissions.exec.join(', ')}` : 'it may run no programs',
        );
      const steering = Object.keys(env).find((name) => envProblem(name) !== undefined || STEERS.test(name));
      if (steering !== undefined) throw refuse(`it sets the variable ${steering}, which changes how programs run`);
      const host = policy();
      const choice = await sandbox();
      const { mechanism } = choice;
      if (mechanism === undefined) throw refuse(`no sandbox works on this machine (${choice.reasons.join('; ')})`);
      const prepared = await prepareLaunch({ ...choice, mechanism }, { ...host.policy, cwd: folder }).catch(
        (fault: unknown) => {
          throw refuse(messageOf(fault), fault);
        },
      );
      // The sandbox has a PATH of its own, in which not every program lies.
      const programs = host.policy.programs === 'any' ? [] : host.policy.programs;
      const path = programs.find((candidate) => basename(candidate) === program) ?? program;
      const [file = '', ...words] = [...prepared.argv, path, ...args];
      const merged = { ...env, ...host.env, ...prepared.env };
      return {
        file,
        args: words,
        env: Object.fromEntries(
          Object.entries(merged).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
        ),
        cwd: prepared.cwd ?? '/',
        cleanup: () => prepared.dispose(),
      };
    },
    fetch: fetchThrough((request, signal) => broker(request, signal)),
  };
}
