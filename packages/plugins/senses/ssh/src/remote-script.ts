/** What is sent to the shell of another machine. */
import { randomBytes } from 'node:crypto';
import { quoted } from './guarded-process.ts';
import type { RemoteSystem } from './remote-systems.ts';

/** How one command is started: the words of the remote command line, and what is written to its input. */
export interface RemoteStart {
  readonly line: string;
  /** Empty for systems whose shell is no `/bin/sh`. */
  readonly script: string;
  /** The line that the script writes when it is ready; the command begins when a line comes as the answer. */
  readonly sign?: string;
}

/**
 * The start of a command. On systems with `/bin/sh` a script comes through the input, so that no other shell takes quotes apart; the
 * command runs in the login shell and in a group of its own. When the input ends, because Tenon stops the command, because Tenon is
 * killed or because the connection is lost, the whole group ends. A login shell may take long to start: so that a command which is
 * stopped meanwhile never runs, the script says when it is ready and waits for a word.
 */
export function startOf(
  command: string,
  cwd: string | undefined,
  { family }: Pick<RemoteSystem, 'family'>,
): RemoteStart {
  if (family === 'powershell') {
    const place = cwd === undefined ? '' : `Set-Location -LiteralPath '${cwd.replaceAll("'", "''")}'; `;
    return { line: `${place}${command}`, script: '' };
  }
  if (family === 'cmd') return { line: cwd === undefined ? command : `cd /d "${cwd}" && ${command}`, script: '' };
  const sign = `tenon-${randomBytes(8).toString('hex')}`;
  return { line: 'exec /bin/sh', script: scriptFor(command, cwd, sign), sign };
}

function scriptFor(command: string, cwd: string | undefined, sign: string): string {
  const run = `"\${SHELL:-/bin/sh}" -c ${quoted(command)} 3<&- &`;
  return `{
exec 3<&0 </dev/null
echo ${sign}
read -r go <&3 || exit 1
${cwd === undefined ? '' : `cd -- ${folderWord(cwd)} || exit 1\n`}if command -v setsid >/dev/null 2>&1; then setsid ${run}
elif command -v perl >/dev/null 2>&1; then perl -e 'setpgrp(0, 0); exec { $ARGV[0] } @ARGV or exit 127' ${run}
else ${run}
fi
child=$!
( exec >/dev/null 2>&1
  read -r nothing <&3
  kill -s TERM -- "-$child" || kill -s TERM "$child"
  for n in 1 2 3 4 5; do kill -s 0 -- "-$child" || kill -s 0 "$child" || exit 0; sleep 0.3 || sleep 1; done
  kill -s KILL -- "-$child" || kill -s KILL "$child" ) &
watcher=$!
wait "$child"; code=$?
kill -s KILL "$watcher" 2>/dev/null
exit "$code"
}
`;
}

/** A remote folder for \`cd\`; \`~\` is the home folder over there. */
function folderWord(cwd: string): string {
  if (cwd === '~') return '"$HOME"';
  return cwd.startsWith('~/') ? `"$HOME"/${quoted(cwd.slice(2))}` : quoted(cwd);
}

/** A question that every shell answers in its own way: what it fills in tells which one it is. */
export const PROBE = 'echo "tenon|$SHELL|%OS%|$PSVersionTable"; uname -sm';
