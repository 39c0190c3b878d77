/**
 * Whether a command failed because of its sandbox. Its output is only a hint, which a program can forge: a path counts when
 * the sandbox really refuses it and the user could use it, a host when the network is closed. A failing test that prints
 * "permission denied" about the workspace has another cause.
 */
import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Confinement } from '@tenon/sandbox/api';
import type { SandboxRefusal } from '@tenon/tools/api';

/** A command that has ended, and where it ran. */
export interface EndedCommand {
  readonly command: string;
  readonly exitCode: number | null;
  readonly output: string;
  /** The folders that relative paths may start from. */
  readonly folders: readonly string[];
  readonly home: string;
}

/** What made a command fail stands at its end. */
const LAST_LINES = 40;
const MAX_LINE = 2_000;
const MAX_REFUSALS = 5;
const LOCAL_CONNECT_MS = 250;

/** Also what programs say about a name that a sandbox holds with an empty folder, and about one that cannot be moved. */
const UNCHANGEABLE =
  /read-only file system|\bEROFS\b|device or resource busy|\bEBUSY\b|invalid cross-device link|\bEXDEV\b|is a directory|\bEISDIR\b|cannot overwrite directory/i;
const DENIED = /permission denied|\bE(?:ACCES|PERM)\b|operation not permitted|access denied/i;
const ABSENT = /no such file or directory|\bENOENT\b|cannot connect to the docker daemon|not found|does not exist/i;
const NO_NETWORK =
  /network is unreachable|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|could not resolve|couldn't resolve|unable to resolve|name resolution|temporary failure resolving|name or service not known|no address associated|failed to lookup address|nodename nor servname|no such host|dial (?:tcp|udp)|failed to resolve|network unreachable|no route to host/i;
const TURNED_AWAY = /connection refused|\bECONNREFUSED\b|failed to connect|couldn't connect/i;
/** `curl -s` says nothing about a network that is not there, but ends with one of these. */
const SILENT_CURL = [6, 7];
/** Names that lead nowhere, whatever the network. */
const RESERVED = /(?:^|\.)(?:invalid|test|example|localhost)$/i;
const LOCAL = /\b(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)[:\s]+(?:port\s+)?(\d{2,5})\b/i;

/** What the sandbox has refused to a command that failed; empty when it failed for another reason. */
export async function refusalsOf(confinement: Confinement, end: EndedCommand): Promise<SandboxRefusal[]> {
  const refusedHosts = confinement.takeRefusedHosts();
  if (confinement.profile === 'full' || end.exitCode === 0 || end.exitCode === null) return [];
  const lines = end.output
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .map((line) => line.slice(0, MAX_LINE));
  const found: SandboxRefusal[] = [
    ...refusedHosts.map((what) => ({ kind: 'network' as const, what, evidence: 'seen' as const })),
    ...lines.flatMap((line) => pathRefusals(confinement, end, line)),
    ...(await networkRefusals(confinement, end, lines)),
  ];
  const distinct = new Map(found.map((refusal) => [`${refusal.kind} ${refusal.what}`, refusal]));
  return [...distinct.values()].slice(0, MAX_REFUSALS);
}

function pathRefusals(confinement: Confinement, end: EndedCommand, line: string): SandboxRefusal[] {
  const kinds: readonly SandboxRefusal['kind'][] = UNCHANGEABLE.test(line)
    ? ['write']
    : DENIED.test(line)
      ? deniedKinds(confinement)
      : ABSENT.test(line)
        ? ['read']
        : [];
  if (kinds.length === 0) return [];
  for (const path of pathsIn(line, end)) {
    const kind = kinds.find(
      (access) => access !== 'network' && confinement.refuses(access, path) && canUse(access, path),
    );
    if (kind !== undefined) return [{ kind, what: path, evidence: 'checked' }];
  }
  return [];
}

/** Bubblewrap denies only what it hides: what cannot be changed is a read-only file system there. */
function deniedKinds({ canOpenNetwork }: Confinement): readonly SandboxRefusal['kind'][] {
  const isBubblewrap = process.platform === 'linux' && canOpenNetwork;
  return isBubblewrap ? ['read'] : ['write', 'read'];
}

/** The paths that a message may be about: in quotes, or between colons and blanks. */
function pathsIn(line: string, { folders, home }: EndedCommand): string[] {
  const quoted = [...line.matchAll(/["'`\u2018\u201c]([^"'`\u2019\u201d]+)["'`\u2019\u201d]/g)].map(
    ([, text = '']) => text,
  );
  const plain = [...line.matchAll(/(?:unix:\/\/)?([~./\w][^\s"'`:,;()[\]]*)/g)].map(([, text = '']) => text);
  const texts = [...new Set([...quoted, ...plain])].filter(
    (text) => /[/.]/.test(text) && text !== '.' && text !== '..',
  );
  return texts.flatMap((text) => {
    if (text.startsWith('~/')) return [resolve(home, text.slice(2))];
    return text.startsWith('/') ? [resolve(text)] : folders.map((folder) => resolve(folder, text));
  });
}

/** Whether the user could do it without a sandbox; to ask about anything else would be in vain. */
function canUse(access: 'read' | 'write', path: string): boolean {
  try {
    accessSync(path, access === 'read' ? constants.R_OK : constants.W_OK);
    return true;
  } catch (fault) {
    const isAbsent = (fault as NodeJS.ErrnoException).code === 'ENOENT';
    return access === 'write' && isAbsent && dirname(path) !== path && canUse('write', dirname(path));
  }
}

async function networkRefusals(
  confinement: Confinement,
  { command, exitCode }: EndedCommand,
  lines: readonly string[],
): Promise<SandboxRefusal[]> {
  if (confinement.network === 'all' || confinement.network === 'public') return [];
  const refusals: SandboxRefusal[] = [];
  for (const line of lines) {
    const port = TURNED_AWAY.test(line) || NO_NETWORK.test(line) ? LOCAL.exec(line)?.[1] : undefined;
    // A sandbox has a loopback of its own: what listens outside cannot be reached, and what does not is nobody's fault.
    if (port !== undefined) {
      if (await isListening(Number(port)))
        refusals.push({ kind: 'network', what: `localhost:${port}`, evidence: 'checked' });
    } else if (NO_NETWORK.test(line)) {
      const host = hostIn(line) ?? hostIn(command) ?? '';
      if (!RESERVED.test(host)) refusals.push({ kind: 'network', what: host, evidence: 'claimed' });
    }
  }
  if (refusals.length === 0 && lines.join('') === '' && SILENT_CURL.includes(exitCode ?? 0) && /\bcurl\b/.test(command))
    refusals.push({ kind: 'network', what: hostIn(command) ?? '', evidence: 'claimed' });
  // A host that is named says more than a complaint without one.
  const named = refusals.filter(({ what }) => what !== '');
  return named.length > 0 ? named : refusals;
}

/** A host behind a scheme, an at sign or one of the usual words; much else looks like one, file names above all. */
function hostIn(text: string): string | undefined {
  const named =
    /(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/\s@]*@)?|@|(?:host(?:name)?|address|lookup|EAI_AGAIN|ENOTFOUND|resolv(?:e|ing))[:\s]+["'\u2018`]?)((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]+)/i.exec(
      text,
    );
  return named?.[1]?.toLowerCase();
}

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: LOCAL_CONNECT_MS });
    const end = (isOpen: boolean) => {
      socket.destroy();
      done(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
