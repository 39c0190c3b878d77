/** How a host process is started: which sandbox holds it, and the command line that puts it there. */
import { lstatSync, mkdtempSync, openSync, realpathSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findAddon, loadAccelerator } from '@tenon/native';
import { reserve } from '@tenon/sandbox/api';
import { errors } from '../errors.ts';
import { GIVE_UP_PROGRAMS } from './give-up-programs.ts';
import { nodeFiles, rootLinks, systemFolders } from './node-files.ts';
import type { HostPolicy } from './policy.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** The sandboxes, strongest first. */
export const SANDBOXES = ['bubblewrap', 'landlock', 'seatbelt'] as const;

/** One kind of sandbox. */
export type SandboxKind = (typeof SANDBOXES)[number];

type Sandbox = Awaited<ReturnType<typeof loadAccelerator<'sandbox'>>>;

/** What can be used here, and why the others cannot. */
export interface SandboxChoice {
  readonly kind: SandboxKind | undefined;
  readonly reasons: readonly string[];
  readonly bubblewrapPath: string | undefined;
}

/** A process that is ready to be spawned. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it starts. Bubblewrap goes on from here to where the process works. */
  readonly cwd: string;
  /** A descriptor to hand over as number 5, closed after the start. */
  readonly filterFd: number | undefined;
  /** Removes what the launch left on disk. */
  cleanup(): void;
}

/** The descriptor under which bubblewrap finds the seccomp filter; 3 and 4 carry messages. */
const FILTER_FD = 5;
const SCRATCH_BYTES = 64 * 1024 * 1024;

/** Finds the strongest sandbox that works here, or the one asked for. */
export async function chooseSandbox(wanted: SandboxKind | 'auto'): Promise<SandboxChoice> {
  const sandbox = await loadAccelerator('sandbox');
  const probe = await sandbox.probe();
  const self = sandbox.selfRestriction();
  const abilities = {
    bubblewrap: probe.bubblewrap,
    landlock: self.available ? probe.landlock : self,
    seatbelt: probe.seatbelt,
  } satisfies Record<SandboxKind, { available: boolean; detail: string }>;
  const asked = wanted === 'auto' ? SANDBOXES : [wanted];
  const kind = asked.find((name) => abilities[name].available);
  const reasons = asked
    .filter((name) => !abilities[name].available)
    .map((name) => `${name}: ${abilities[name].detail}`);
  return { kind, reasons, bubblewrapPath: probe.bubblewrapPath };
}

/** Makes the command line that runs `program` (Node's arguments) as `policy` says. */
export async function planLaunch(
  choice: SandboxChoice,
  policy: HostPolicy,
  program: {
    readonly entry: string;
    readonly plugin: string;
    readonly args?: readonly string[];
    readonly nodeArgs?: readonly string[];
  },
): Promise<Launch> {
  const { kind } = choice;
  if (kind === undefined)
    throw errors.create('PACK_HOST_NO_SANDBOX', { plugin: program.plugin, reasons: choice.reasons.join('; ') });
  const sandbox = await loadAccelerator('sandbox');
  const node = [
    process.execPath,
    `--max-old-space-size=${policy.memoryMb}`,
    ...(program.nodeArgs ?? []),
    program.entry,
    ...(program.args ?? []),
  ];
  return { bubblewrap, landlock, seatbelt }[kind](sandbox, policy, {
    ...program,
    node,
    bwrap: choice.bubblewrapPath ?? 'bwrap',
  });
}

/** A command line without a sandbox, for code that the user trusts fully: a process of its own still keeps its faults away. */
export function planUnconfined(entry: string, memoryMb: number): Launch {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const args = [`--max-old-space-size=${memoryMb}`, entry];
  return { file: process.execPath, args, env, cwd: '/', filterFd: undefined, cleanup: () => undefined };
}

interface Program {
  readonly plugin: string;
  readonly entry: string;
  readonly node: readonly string[];
  readonly bwrap: string;
}

function bubblewrap(sandbox: Sandbox, policy: HostPolicy, program: Program): Launch {
  const filter = seccompFilter({ processes: policy.programs.length > 0 });
  const scratch = (path: string) => ['--perms', '0700', '--size', String(SCRATCH_BYTES), '--tmpfs', path];
  const links = policy.programs.filter((path) => lstatSync(path).isSymbolicLink());
  const folders = policy.programs.length > 0 ? systemFolders() : [];
  const files = [...nodeFiles(), ...policy.programs.filter((path) => !links.includes(path))];
  // What lies in a folder that is shown anyway must not be put there once more: it may be a link there.
  const visible = [...folders, ...files.filter((file) => !folders.some((folder) => file.startsWith(`${folder}/`)))];
  const { argv } = sandbox.bubblewrap(
    {
      read: [...visible, ...policy.read, ...policy.protect, ...policy.reserved],
      write: policy.write,
      links: [...rootLinks(), ...links.map((path) => ({ path, target: realpathSync(path) }))],
      tmp: false,
      cwd: workFolder(policy, '/tmp'),
    },
    program.node,
  );
  const before = [
    '--hostname',
    'pack',
    ...scratch('/tmp'),
    ...scratch(policy.home),
    ...(filter ? ['--seccomp', String(FILTER_FD)] : []),
  ];
  return {
    ...limited(policy, [program.bwrap, ...before, ...argv]),
    env: policy.env,
    cwd: '/',
    filterFd: filter && descriptorOf(filter),
    cleanup: holdPlaces(policy),
  };
}

function landlock(_sandbox: Sandbox, policy: HostPolicy, program: Program): Launch {
  const [inside] = [...policy.protect, ...policy.reserved];
  if (inside !== undefined) {
    const what = policy.protect.length > 0 ? 'unchanged' : 'from being made';
    const reasons = `landlock: it cannot keep ${inside} ${what} inside a writable folder; install bubblewrap`;
    throw errors.create('PACK_HOST_NO_SANDBOX', { plugin: program.plugin, reasons });
  }
  const scratch = scratchFolder();
  const { path: addon } = findAddon();
  // OpenSSL forgives a configuration that is absent, but not one that it may not read.
  const env = { ...policy.env, HOME: scratch, TMPDIR: scratch, OPENSSL_CONF: '/dev/null' };
  const programs = policy.programs.length > 0 ? systemFolders() : [];
  // Node must be startable for the second start; after that the host gives up starting anything, Node included.
  const named = {
    ...(addon !== undefined && { TENON_ADDON: addon }),
    ...(programs.length === 0 && { [GIVE_UP_PROGRAMS]: '1' }),
  };
  const restriction = {
    policy: {
      read: [
        ...nodeFiles(),
        ...programs,
        ...policy.programs,
        ...policy.read,
        ...(addon ? [addon] : []),
        '/dev/null',
        '/dev/urandom',
        '/dev/random',
      ],
      write: [...policy.write, scratch, '/dev/null'],
      exec: policy.programs.length > 0 ? [...policy.programs, ...programs] : 'off',
      net: 'off',
      limits: { dataBytes: dataLimitKb(policy) * 1024, coreBytes: 0 },
      dieWithParent: true,
    },
    env: { ...env, ...named },
    args: program.node.slice(1),
  };
  return {
    file: process.execPath,
    // The host's own program restricts itself and then starts itself anew: only then is every thread restricted.
    args: [program.entry, '--restrict', JSON.stringify(restriction)],
    env: { ...env, ...named },
    cwd: workFolder(policy, scratch),
    filterFd: undefined,
    cleanup: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function seatbelt(sandbox: Sandbox, policy: HostPolicy, program: Program): Launch {
  const leavePlaces = holdPlaces(policy);
  const scratch = scratchFolder();
  const { argv } = sandbox.seatbelt(
    {
      read: [...nodeFiles(), ...policy.read, ...policy.protect, ...policy.reserved],
      write: [...policy.write, scratch],
      exec: [process.execPath, ...policy.programs],
      tmp: false,
    },
    program.node,
  );
  return {
    ...limited(policy, ['/usr/bin/sandbox-exec', ...argv]),
    env: { ...policy.env, HOME: scratch, TMPDIR: scratch },
    cwd: workFolder(policy, scratch),
    filterFd: undefined,
    cleanup: () => {
      rmSync(scratch, { recursive: true, force: true });
      leavePlaces();
    },
  };
}

/** The folder that relative paths start from: the workspace if the process may see it. */
function workFolder({ read, write, workspace }: HostPolicy, otherwise: string): string {
  return [...read, ...write].includes(workspace) ? workspace : otherwise;
}

/** Lets the shell set the limits, because Node cannot: they hold for everything that it then becomes. */
function limited(policy: HostPolicy, command: readonly string[]): { file: string; args: string[] } {
  const script = `ulimit -c 0; ulimit -d ${dataLimitKb(policy)}; exec "$@"`;
  return { file: '/bin/sh', args: ['-c', script, 'sh', ...command] };
}

/** Node's stacks, code and buffers come on top of what the pack may use. */
function dataLimitKb({ memoryMb }: HostPolicy): number {
  return (memoryMb + NODE_OVERHEAD_MB) * 1024;
}

const NODE_OVERHEAD_MB = 384;

/** Puts empty folders where the pack must not make any, and gives the function that takes them away again. */
function holdPlaces({ reserved }: HostPolicy): () => void {
  const leave = reserved.map(reserve);
  return () => {
    for (const one of leave.splice(0)) one();
  };
}

function scratchFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'tenon-pack-')));
}

/** The bytes as an open file that has no name any more. */
function descriptorOf(bytes: Buffer): number {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-filter-'));
  const file = join(folder, 'filter');
  writeFileSync(file, bytes, { mode: 0o600 });
  const descriptor = openSync(file, 'r');
  unlinkSync(file);
  rmSync(dirname(file), { recursive: true, force: true });
  return descriptor;
}
