/** A program that gives up rights and then becomes another, as a command line that can be put before any program. */
import { readlinkSync } from 'node:fs';
import type { RawSelfPolicy } from './addon.ts';
import type { SelfRestrictingCommand } from './contract.ts';

/**
 * The shell notes which descriptors are open, because Node opens some of its own and marks all others to be closed. A shell
 * lists a folder with a descriptor that is gone afterwards; only links that still exist count.
 */
const NOTE_DESCRIPTORS = `keep=
for link in /proc/$$/fd/*; do
  number=\${link##*/}
  if [ -L "$link" ] && [ "$number" -gt 2 ]; then keep="$keep $number"; fi
done
node=$1 code=$2 addon=$3 policy=$4 starter=$5
shift 5
exec "$node" -e "$code" "$addon" "$policy" "$starter" "$keep" "$@"`;

/**
 * A program that ends with its parent learns only from here on when that ends. Whoever made the words may be gone by now, and the parent another
 * process: Node takes a while to start. One that was killed stays in the table of processes until somebody has asked for its status.
 */
const RESTRICT = `const fs = require('node:fs');
const path = require('node:path');
const [addon, policyFile, starter, keep, ...command] = process.argv.slice(1);
const fail = (text, status) => { process.stderr.write('sandbox: ' + text + '\\n'); process.exit(status); };
const isProgram = (file) => { try { fs.accessSync(file, fs.constants.X_OK); return fs.statSync(file).isFile(); } catch { return false; } };
const hasEnded = (pid, namespace) => {
  // In another one the number means another process.
  try { if (fs.readlinkSync('/proc/self/ns/pid') !== namespace) return false; } catch { return false; }
  try { process.kill(Number(pid), 0); } catch (fault) { return fault.code === 'ESRCH'; }
  try { return /\\) [ZX] [^)]*$/.test(fs.readFileSync('/proc/' + pid + '/stat', 'latin1')); } catch { return false; }
};
const [name] = command;
if (!name) fail('there is no command to run', 126);
const candidates = name.includes('/') ? [path.resolve(name)] : (process.env.PATH || '/usr/bin:/bin').split(':').map((folder) => path.resolve(folder, name));
const file = candidates.find(isProgram);
if (!file) fail(name + ': command not found', 127);
try {
  const policy = JSON.parse(fs.readFileSync(policyFile, 'utf8'));
  const env = Object.entries(process.env).map(([key, value]) => key + '=' + value);
  const { sandboxRestrictAndExec } = require(addon);
  if (policy.dieWithParent && hasEnded(...starter.split(' '))) fail('the process that started this has ended', 126);
  sandboxRestrictAndExec(policy, file, command, env, keep.split(' ').filter(Boolean).map(Number));
} catch (fault) {
  fail(fault.message, 126);
}`;

/** The words before a program that restrict it under `policy`. */
export function selfRestrictingCommand(
  policy: RawSelfPolicy,
  files: { readonly addon: string; readonly policyFile: string },
): SelfRestrictingCommand {
  const words = [
    '/bin/sh',
    '-c',
    NOTE_DESCRIPTORS,
    'sandbox',
    process.execPath,
    RESTRICT,
    files.addon,
    files.policyFile,
    thisProcess(),
  ];
  return { argv: words, policy: JSON.stringify(policy) };
}

/** The process, and the namespace in which it has its number. */
function thisProcess(): string {
  try {
    return `${process.pid} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${process.pid} unknown`; // Nobody finds it there, and nothing is concluded.
  }
}
