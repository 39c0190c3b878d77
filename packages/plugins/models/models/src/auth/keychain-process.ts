/**
 * Asks the keychain of the system in a process of its own. The library blocks the thread that uses it, and what it waits for may never
 * answer: a dialog that nobody sees, a service that hangs, a message bus that does not take connections. A thread that is stuck would also keep
 * Tenon from ending; a process can be killed.
 */
import { execFile, type ExecFileException } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

/** Which secret is meant, and how long an answer may take. */
export interface KeychainEntry {
  readonly service: string;
  readonly account: string;
  readonly deadlineMs: number;
}

/** The store is pinned: without a Secret Service the library would use the kernel's keyring, which forgets at the next boot. */
const PROGRAM = `
const [library, service, account, action] = process.argv.slice(1);
let answer;
try {
  const { Entry } = require(library);
  const entry = new Entry(service, account, { linux: { store: 'secret-service' } });
  if (action === 'write') entry.setPassword(require('node:fs').readFileSync(0, 'utf8'));
  answer = { secret: entry.getPassword() };
} catch (fault) {
  answer = { fault: fault instanceof Error ? fault.message : String(fault) };
}
process.stdout.write(JSON.stringify(answer));
`;

/** The secret, if there is one. Rejects when the keychain cannot be used or does not answer in time. */
export function readFromKeychain(entry: KeychainEntry): Promise<string | undefined> {
  return ask(entry, 'read', '');
}

/** Keeps a secret and gives what the keychain then has. */
export function writeToKeychain(entry: KeychainEntry, secret: string): Promise<string | undefined> {
  return ask(entry, 'write', secret);
}

async function ask(
  { service, account, deadlineMs }: KeychainEntry,
  action: 'read' | 'write',
  input: string,
): Promise<string | undefined> {
  const require = createRequire(import.meta.url);
  const library = require.resolve('@napi-rs/keyring');
  const running = promisify(execFile)(process.execPath, ['-e', PROGRAM, library, service, account, action], {
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
    // Options for Tenon, the port of a debugger for example, are not meant for this process.
    env: { ...process.env, NODE_OPTIONS: undefined },
  });
  // A process that ended before it took its input has said why on its output.
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end(input);
  const { stdout } = await running.catch((fault: ExecFileException) => {
    const reason = fault.killed
      ? `the keychain did not answer within ${deadlineMs / 1000} seconds`
      : `the process that asks the keychain failed (${fault.signal ?? fault.code})`;
    throw new Error(reason, { cause: fault });
  });
  const { secret, fault } = JSON.parse(stdout) as { secret?: string | null; fault?: string };
  if (fault !== undefined) throw new Error(fault);
  return secret ?? undefined;
}
