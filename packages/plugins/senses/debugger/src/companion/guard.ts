/** The shell script around a companion. */
import { MARK_SCRIPT } from '@tenon/host';

/** Set for everything that a debug session starts, so that it can be found again wherever it has moved itself. */
export const SESSION_VARIABLE = 'TENON_DEBUG_SESSION';

/**
 * Watches a pipe that only Tenon holds the other end of. When Tenon ends, however it ends, all of the session does: debuggers put
 * programs into groups and sessions of their own, so they are found by the variable. The guard itself does not carry it. A debugger
 * that is attached to somebody's process gets some seconds of grace, so that it takes its breakpoints out of it.
 */
export const GUARD = `${MARK_SCRIPT}mark=$1 grace=$2; shift 2
sweep() {
  for entry in /proc/[0-9]*/environ; do
    grep -qsF "${SESSION_VARIABLE}=$mark" "$entry" && pid=\${entry#/proc/} && kill -KILL "\${pid%/environ}"
  done
}
{ while read -r _; do :; done <&3; [ "$grace" = 0 ] || sleep "$grace"; sweep; sweep; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec env "${SESSION_VARIABLE}=$mark" "$@"`;
