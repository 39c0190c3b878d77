/** A program that gives up rights and then becomes another, as a command line that can be put before any program. */
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
node=$1 code=$2 addon=$3 policy=$4
shift 4
exec "$node" -e "$code" "$addon" "$policy" "$keep" "$@"`;

const RESTRICT = `const fs = require('node:fs');
const path = require('node:path');
const [addon, policyFile, keep, ...command] = process.argv.slice(1);
const fail = (text, status) => { process.stderr.write('sandbox: ' + text + '\\n'); process.exit(status); };
const isProgram = (file) => { try { fs.accessSync(file, fs.constants.X_OK); return fs.statSync(file).isFile(); } catch { return false; } };
const [name] = command;
if (!name) fail('there is no command to run', 126);
const candidates = name.includes('/') ? [path.resolve(name)] : (process.env.PATH || '/usr/bin:/bin').split(':').map((folder) => path.resolve(folder, name));
const file = candidates.find(isProgram);
if (!file) fail(name + ': command not found', 127);
try {
  const policy = JSON.parse(fs.readFileSync(policyFile, 'utf8'));
  const env = Object.entries(process.env).map(([key, value]) => key + '=' + value);
  require(addon).sandboxRestrictAndExec(policy, file, command, env, keep.split(' ').filter(Boolean).map(Number));
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
  ];
  return { argv: words, policy: JSON.stringify(policy) };
}
