/**
 * Commands that the sandbox is known to stop, before they have run: the first question offers the wider run at once. What a
 * command needs is read from its words, so a command can pretend to need more. That gains it an offer, never a yes.
 */
import { createHash } from 'node:crypto';
import { type Confinement, isPrivateHost } from '@tenon/sandbox/api';
import type { SandboxRefusal, ToolCallEvent, TouchedCommand, WayOut } from '@tenon/tools/api';
import type { Finding } from './judge/finding.ts';
import type { JudgedCall } from './policy/decide.ts';
import { assessCall, type CallHost, digestOf } from './tool-calls.ts';

/** What finding a wider run needs. */
export interface WiderRunHost {
  /** The sandbox that a program would get in a folder; the caller disposes of it. Undefined where none can be made. */
  confinement(cwd: string): Promise<Confinement | undefined>;
  /** What the call would be outside; undefined when it cannot leave. */
  leaving(event: ToolCallEvent, signal: AbortSignal): Promise<ToolCallEvent | undefined>;
}

/** A call as it would be with less confinement. */
export interface WiderRun {
  readonly event: ToolCallEvent;
  readonly judged: JudgedCall;
  /** What the sandbox would refuse. */
  readonly expected: readonly SandboxRefusal[];
  /** The ways out that would help, the narrowest first. */
  readonly ways: readonly WayOut[];
  /** The programs that need it, when the command runs others besides. */
  readonly needy: readonly string[];
  /** The fingerprint of a question that asks about both runs: a yes to it is for no other variables. */
  readonly digest: string;
}

/** What a command needs that its sandbox does not give. */
interface Needs {
  readonly expected: readonly SandboxRefusal[];
  readonly ways: readonly WayOut[];
  readonly needy: readonly string[];
}

const MAX_EXPECTED = 5;
const ADDRESS = /^(?:https?|ftp|ssh|git|wss?):\/\//i;
/** A sandbox has a loopback of its own; what is meant may run inside. */
const LOCAL = /^(?:localhost|127\..*|\[::1\])$/;

/** The wider run of a call that would be asked about anyway; undefined where the sandbox stops nothing that is known. */
export async function widerRun(
  host: WiderRunHost,
  event: ToolCallEvent,
  judged: JudgedCall,
  call: CallHost,
  signal: AbortSignal,
): Promise<WiderRun | undefined> {
  const [command, ...others] = event.touches.commands ?? [];
  if (command === undefined || others.length > 0 || event.touches.anything === true) return undefined;
  if (command.language !== undefined || command.unsandboxed !== undefined || command.refused) return undefined;
  if ((await call.profile()) === 'full') return undefined;
  const needs = await needsOf(host, command, judged, call);
  if (needs === undefined) return undefined;
  const wider = await host.leaving(event, signal);
  if (wider === undefined) return undefined;
  const own = digestOf(wider, call.cwd);
  return {
    ...needs,
    event: wider,
    judged: { ...judged, findings: await assessCall(wider, call), digest: own, confined: false },
    digest: createHash('sha256').update(`${judged.digest} ${own}`).digest('hex'),
  };
}

async function needsOf(
  host: WiderRunHost,
  command: TouchedCommand,
  { findings }: JudgedCall,
  { cwd, world }: CallHost,
): Promise<Needs | undefined> {
  const { dangers } = await import('./judge/assess.ts');
  const { text, env = {} } = command;
  // The proof does not say what needs the network.
  const all = [...findings, ...(await dangers({ command: text, cwd: command.cwd, env }, world))];
  const confinement = await host.confinement(cwd);
  if (confinement === undefined) return undefined;
  try {
    const stopped = all.flatMap((finding) =>
      refusalsOf(finding, confinement).map((refusal) => ({ refusal, argv: finding.argv })),
    );
    if (stopped.length === 0) return undefined;
    const expected = distinct(stopped.map(({ refusal }) => refusal));
    const isNetwork = expected.every(({ kind, what }) => kind === 'network' && (what === '' || !isPrivateHost(what)));
    const needy = distinct(stopped.flatMap(({ argv }) => (argv ? [wordsOf(argv)] : [])));
    const programs = distinct(all.flatMap(({ argv }) => (argv ? [wordsOf(argv)] : [])));
    return {
      expected: expected.slice(0, MAX_EXPECTED),
      ways: isNetwork && confinement.canOpenNetwork ? ['network', 'outside'] : ['outside'],
      needy: needy.length > 0 && needy.length < programs.length ? needy : [],
    };
  } finally {
    await confinement.dispose();
  }
}

function refusalsOf({ trait, argv = [], path, tier, changes }: Finding, confinement: Confinement): SandboxRefusal[] {
  const refusal = (kind: SandboxRefusal['kind'], what: string): SandboxRefusal[] => [
    { kind, what, evidence: 'expected' },
  ];
  if (trait === 'network') {
    if (confinement.network === 'all' || confinement.network === 'public') return [];
    const hosts = hostsIn(argv);
    // Which hosts a registry or a remote means, nobody knows here.
    if (confinement.network === 'some' && hosts.length === 0) return [];
    if (hosts.length === 0) return refusal('network', '');
    return hosts
      .filter((host) => !LOCAL.test(host) && !confinement.reaches(host))
      .flatMap((host) => refusal('network', host));
  }
  if (path === undefined || tier < 2) return [];
  const access = changes === true ? 'write' : 'read';
  return confinement.refuses(access, path) ? refusal(access, path) : [];
}

/** The hosts of the addresses among a program's words. */
function hostsIn(argv: readonly (string | undefined)[]): string[] {
  const addresses = argv.filter((word) => word !== undefined).filter((word) => ADDRESS.test(word));
  return distinct(addresses.flatMap((word) => (URL.canParse(word) ? [new URL(word).hostname] : [])));
}

function wordsOf(argv: readonly (string | undefined)[]): string {
  return argv.map((word) => word ?? '…').join(' ');
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
