/** Confinement by bubblewrap: mount, process and network namespaces, and a filter of system calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Accelerators } from '@tenon/native';
import type { ExtraPaths } from '../api.ts';
import { BRIDGE_PORT, bridgeArgv, proxyVariables } from '../network/bridge.ts';
import { extraPaths, foldersAround, hiddenBeside, isInside } from '../paths.ts';
import { seccompFilter } from '../seccomp/seccomp-filter.ts';
import type { LaunchPolicy } from './launch-policy.ts';
import { limitScript, type WrapOptions, type Wrapping } from './mechanism.ts';
import { mountCheckArgv } from './mount-check.ts';
import { visibleSystem } from './node-files.ts';

/** A descriptor that POSIX shells can name and that programs rarely use. Bubblewrap closes it before the program starts. */
const FILTER_FD = 9;

/** Makes the words that start a program in bubblewrap. */
export function bubblewrap(
  sandbox: Accelerators['sandbox'],
  bwrap: string,
  { policy, folder, terminal, proxy }: WrapOptions,
): Wrapping {
  const { programs, system, limits, cwd } = policy;
  const filter = seccompFilter({
    processes: programs.length > 0,
    isolated: system === 'node',
    tracing: policy.tracing ?? false,
    sockets: policy.sockets ?? true,
  });
  const filterFile = join(folder, 'seccomp');
  if (filter) writeFileSync(filterFile, filter, { mode: 0o600 });
  const closed = [...policy.protect, ...policy.reserved, ...(policy.reservedFiles ?? []).map(({ path }) => path)];
  // A folder that only holds mounts can be renamed away with them; one that is a mount itself cannot. What is hidden would be shown
  // by the next sandbox under its new name.
  const fixed = [...closed, ...policy.hidden.map(({ path }) => path)];
  const write = [...new Set([...policy.write, ...fixed.flatMap((path) => foldersAround(path, policy.write))])];
  const own = [...write, ...closed];
  const inner = own.filter((path) => isInside(path, policy.workspace));
  const isPassing = (path: string) => policy.passing?.some((folder) => isInside(path, folder)) === true;
  const check = system === 'all' && inner.length > 0 ? mountCheckArgv(inner, isPassing) : [];
  const shown = system === 'all' ? { read: ['/'], links: [] } : visibleSystem(programs === 'any' ? [] : programs);
  const argv = (extra: ExtraPaths): string[] => {
    const more = extraPaths(extra);
    const { socket, socketFolder } = proxy ?? {};
    const hidden = hiddenBeside(policy.hidden, [...more.read, ...more.write]);
    const fleeting = new Set(hidden.flatMap(({ path, fleeting }) => (fleeting ? [path] : [])));
    const line = sandbox.bubblewrap(
      {
        // A socket can be connected to in a folder that cannot be written to.
        read: [
          ...shown.read,
          ...policy.read,
          ...closed,
          ...more.read,
          ...(socketFolder === undefined ? [] : [socketFolder]),
        ],
        // By itself it counts as written.
        write: [...write, ...more.write, ...(socket === undefined || socketFolder !== undefined ? [] : [socket])],
        deny: hidden,
        links: shown.links,
        tmp: limits === undefined,
        // Without the filter a session of its own is what keeps programs from typing into the user's terminal.
        newSession: !(terminal && filter !== undefined),
        ...(cwd !== undefined && { cwd }),
      },
      [...check, ...(socket === undefined ? [] : bridgeArgv(process.execPath, socket)), 'true'],
    );
    const options = ['--hostname', 'sandbox', ...scratch(policy), ...(filter ? ['--seccomp', String(FILTER_FD)] : [])];
    // The last word stands for the program.
    const words = [bwrap, ...options, ...marked(forgiving(line.argv.slice(0, -1), isPassing), fleeting)];
    // The shell opens the filter: whoever starts the program need not know about descriptors.
    const opening = filter ? `exec ${FILTER_FD}<"$0" && ` : '';
    const leaving = fleeting.size > 0 ? LEAVE_OUT : '';
    return ['/bin/sh', '-c', `${leaving}${limitScript(policy)}${opening}exec "$@"`, filterFile, ...words];
  };
  return {
    argv,
    env: {
      TMPDIR: '/tmp',
      TMP: undefined,
      TEMP: undefined,
      ...(proxy && proxyVariables(BRIDGE_PORT)),
    },
    // Bubblewrap goes on from here to where the process works.
    cwd: cwd === undefined ? undefined : '/',
    notes: filter ? [] : [`system calls are not filtered on ${process.arch}`],
    canRestart: false,
  };
}

/** Mounts of what may be gone by now are left out then; without this bubblewrap would not start the program. */
function forgiving(argv: readonly string[], isPassing: (path: string) => boolean): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const isMount = index < end && (word === '--bind' || word === '--ro-bind');
    return isMount && isPassing(argv[index + 1] ?? '') ? `${word}-try` : word;
  });
}

/** What hides a path that may be gone by the time bubblewrap starts: `/dev/null`, spelled so that `LEAVE_OUT` knows it. */
const FLEETING_COVER = '/dev/./null';

/** Bubblewrap would not start where it can neither cover a path nor make it. A shell is the last that can look. */
const LEAVE_OUT = `tenon_gone= tenon_before=
for tenon_word do
  [ "$tenon_word" != -- ] || break
  [ "$tenon_before" != ${FLEETING_COVER} ] || [ -e "$tenon_word" ] || tenon_gone=1
  tenon_before=$tenon_word
done
if [ "$tenon_gone" ]; then
  tenon_left=$# tenon_mounts=1
  while [ "$tenon_left" -gt 0 ]; do
    [ "$1" != -- ] || tenon_mounts=
    if [ "$tenon_mounts" ] && [ "$2" = ${FLEETING_COVER} ] && ! [ -e "$3" ]; then
      shift 3
      tenon_left=$((tenon_left - 3))
    else
      set -- "$@" "$1"
      shift
      tenon_left=$((tenon_left - 1))
    fi
  done
fi
`;

/** Spells the covers of what may be gone by now so that the shell can leave them out. */
function marked(argv: readonly string[], fleeting: ReadonlySet<string>): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const isCover = index < end && word === '/dev/null' && argv[index - 1] === '--ro-bind';
    return isCover && fleeting.has(argv[index + 1] ?? '') ? FLEETING_COVER : word;
  });
}

/** Folders of their own for temporary files, no larger than allowed. */
function scratch({ limits, emptyHome }: LaunchPolicy): string[] {
  const size = limits === undefined ? [] : ['--size', String(limits.scratchMb * 1024 * 1024)];
  const folders = [...(limits === undefined ? [] : ['/tmp']), ...(emptyHome === undefined ? [] : [emptyHome])];
  return folders.flatMap((path) => ['--perms', '0700', ...size, '--tmpfs', path]);
}
