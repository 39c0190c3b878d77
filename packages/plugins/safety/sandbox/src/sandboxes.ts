/** The service: which profile holds, which mechanism enforces it, and the words that start a program under it. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { type Confinement, type ConfinementRequest, type Profile, type Sandboxes, UNCONFINED } from './api.ts';
import { secretVariables, withheldVariables } from './environment.ts';
import { errors } from './errors.ts';
import { findMechanism, type MechanismChoice } from './find-mechanism.ts';
import type { Wrapping } from './mechanisms/mechanism.ts';
import { wrapBy, type WorkingMechanism } from './mechanisms/wrap.ts';
import { findRule, type HostRule, parseHostRules, PUBLIC_HOSTS } from './network/host-rules.ts';
import { type Proxy, startProxy } from './network/proxy.ts';
import { policyOf, isTooWide, type ProfilePolicy, type Surroundings } from './policy.ts';
import { isRefused } from './refused-paths.ts';
import type { PrivateFolders } from './private-folders.ts';
import type { Mechanism } from './settings.ts';
import type { SandboxSettings } from './generated/settings.ts';

/** Tells programs inside what holds them; only for messages, because anybody can set a variable. */
export const INSIDE = 'TENON_SANDBOX';

/** What the service is made of. */
export interface SandboxesParts {
  readonly settings: SandboxSettings;
  readonly surroundings: Surroundings;
  readonly folders: PrivateFolders;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  accelerator(): Promise<Accelerators['sandbox']>;
}

/** The profile that holds, and why it is not another. */
export interface ProfileChoice {
  readonly profile: Profile;
  readonly reason: string;
}

/** Which profile the settings mean for a folder. */
export function chooseProfile(
  settings: SandboxSettings,
  choice: MechanismChoice,
  cwd: string,
  home: string,
): ProfileChoice {
  const { required } = settings;
  if (settings.profile !== 'auto' && !(required && settings.profile === 'full'))
    return { profile: settings.profile, reason: 'sandbox.profile says so' };
  const { mechanism } = choice;
  // Who names a mechanism has asked for a sandbox: where it does not work, nothing runs with less.
  const isAskedFor = settings.mechanism !== 'auto' || required;
  if (mechanism === undefined && !isAskedFor) {
    const outer = choice.outer.length > 0 ? `; an outer sandbox may hold: ${choice.outer.join(', ')}` : '';
    return { profile: 'full', reason: `no sandbox works here (${choice.reasons.join('; ')})${outer}` };
  }
  if (mechanism === 'landlock' && !isAskedFor) {
    const missing = `bubblewrap: ${choice.abilities.bubblewrap.detail}`;
    if (settings.network.allow.length > 0) {
      return { profile: 'full', reason: `Landlock cannot open single hosts; ${missing}` };
    }
    // Without bubblewrap a repository could not be committed to: too strict for what nobody asked for.
    const reason = `only Landlock works here, which cannot protect parts of a writable workspace; ${missing}`;
    if (existsSync(join(cwd, '.git'))) return { profile: 'full', reason };
  }
  if (isTooWide(cwd, home)) return { profile: 'read-only', reason: `${cwd} is not a project` };
  const wish = required ? 'sandbox.required' : 'sandbox.mechanism';
  const reason = mechanism === undefined ? `${wish} asks for a sandbox` : `${mechanism} works here`;
  return { profile: 'workspace-write', reason };
}

/** Makes the service. */
export function createSandboxes(parts: SandboxesParts): Sandboxes {
  const { settings, surroundings } = parts;
  let choice: Promise<MechanismChoice> | undefined;
  const mechanism = () =>
    (choice ??= parts.accelerator().then((sandbox) => findMechanism(sandbox, settings.mechanism, parts.env)));
  return {
    async profileFor({ cwd }) {
      if (settings.profile !== 'auto' && settings.profile !== 'full') return settings.profile;
      if (settings.profile === 'full' && !settings.required) return 'full';
      return chooseProfile(settings, await mechanism(), cwd, surroundings.home).profile;
    },

    programFolders: async (cwd) => (await surroundings.programFolders?.(cwd)) ?? [],

    get isRequired() {
      return settings.required;
    },

    async wrap(request) {
      const profile = request.profile ?? (await this.profileFor(request));
      if (profile === 'full') {
        if (settings.required) throw errors.create('SANDBOX_REQUIRED');
        return { ...UNCONFINED, env: secretVariables(parts.env, settings.keepEnvironment) };
      }
      const choice = await mechanism();
      if (choice.mechanism === undefined) {
        throw errors.create('SANDBOX_UNAVAILABLE', { profile, reasons: choice.reasons.join('; ') });
      }
      const policy = await policyOf({ ...request, profile }, settings, surroundings);
      return confine(parts, { ...choice, mechanism: choice.mechanism }, policy, request);
    },
  };
}

async function confine(
  parts: SandboxesParts,
  choice: WorkingMechanism,
  policy: ProfilePolicy,
  request: ConfinementRequest,
): Promise<Confinement> {
  const { settings } = parts;
  const folder = request.lasting ?? (await parts.folders.make());
  const proxy = await proxyFor(parts, choice.mechanism, folder, request);
  try {
    const wrapping = wrapBy(choice, await parts.accelerator(), {
      policy,
      folder,
      terminal: request.terminal ?? false,
      proxy: proxy && (proxy.port === undefined ? socketIn(folder, request) : { port: proxy.port }),
    });
    return {
      profile: policy.profile,
      argv: wrapping.argv({}),
      argvWith: (extra) => wrapping.argv(extra),
      env: {
        ...withheldVariables(parts.env, settings.keepEnvironment),
        ...wrapping.env,
        [INSIDE]: `${policy.profile} ${choice.mechanism}`,
      },
      network: request.network ?? (proxy ? 'some' : 'none'),
      // Landlock knows ports, not addresses.
      canOpenNetwork: choice.mechanism !== 'landlock',
      outlive: (pid) => wrapping.outlive(pid),
      reaches: (host) => findRule(hostRules(settings.network.allow, request), host, 443) !== undefined,
      refuses: (access, path) => isRefused(policy, access, path),
      takeRefusedHosts: () => proxy?.takeRefused() ?? [],
      describe: () =>
        describe(
          policy,
          request.network ?? [...settings.network.allow, ...(request.hosts ?? [])],
          choice.mechanism,
          wrapping,
        ),
      async dispose() {
        wrapping.release();
        await proxy?.close();
      },
    };
  } catch (fault) {
    await proxy?.close();
    throw fault;
  }
}

function hostRules(
  allow: readonly string[],
  { network, hosts = [] }: Pick<ConfinementRequest, 'network' | 'hosts'>,
): HostRule[] {
  return [...parseHostRules([...allow, ...hosts]), ...(network === undefined ? [] : [PUBLIC_HOSTS])];
}

/** A socket that another process may make anew is seen by way of its folder: what is bound by itself would stay the old one. */
function socketIn(folder: string, { lasting }: ConfinementRequest) {
  return lasting === undefined
    ? { socket: join(folder, 'proxy') }
    : { socket: join(folder, LASTING, 'proxy'), socketFolder: join(folder, LASTING) };
}

/** Holds nothing but the socket: the folder around it holds the filter of system calls. */
const LASTING = 'network';

async function proxyFor(
  parts: SandboxesParts,
  mechanism: Mechanism,
  folder: string,
  request: ConfinementRequest,
): Promise<Proxy | undefined> {
  const { allow } = parts.settings.network;
  if (allow.length === 0 && request.network === undefined && (request.hosts ?? []).length === 0) return undefined;
  const rules = hostRules(allow, request);
  if (mechanism === 'landlock') {
    // Landlock knows ports, not addresses: whoever listens on the proxy's port anywhere would be reachable.
    throw errors.create('SANDBOX_ALLOW_LIST', { reason: 'Landlock cannot tell hosts apart' });
  }
  if (mechanism !== 'bubblewrap') return startProxy({ loopback: true }, rules, parts.log);
  const { socket, socketFolder } = { socketFolder: undefined, ...socketIn(folder, request) };
  if (socketFolder !== undefined) {
    await mkdir(socketFolder, { recursive: true, mode: 0o700 });
    // That of a process which was killed; nobody listens there.
    await rm(socket, { force: true });
  }
  return startProxy({ socket }, rules, parts.log);
}

function describe(
  policy: ProfilePolicy,
  hosts: 'public' | readonly string[],
  mechanism: Mechanism,
  wrapping: Wrapping,
): string {
  const files =
    policy.profile === 'read-only'
      ? 'no file outside of the temporary folder can be changed'
      : `only files in ${policy.workspace} and the temporary folder can be changed (not the settings of git, Tenon and editors there)`;
  const net =
    hosts === 'public'
      ? 'the network reaches public hosts through a proxy'
      : hosts.length === 0
        ? 'there is no network'
        : `the network reaches only ${hosts.join(', ')}`;
  const notes = [...policy.notes, ...wrapping.notes].map((note) => ` ${note}.`).join('');
  return `Sandbox ${policy.profile} (${mechanism}): ${files}; keys and tokens are hidden; ${net}.${notes}`;
}
