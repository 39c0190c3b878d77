/** What extensions import of pi-utils. */
import { spawnSync } from 'node:child_process';

const nothing = () => undefined;
const print = (message: unknown) => void process.stderr.write(`${String(message)}\n`);

const chainable: unknown = new Proxy((text: unknown) => String(text), {
  get: (_target, name) => (name === 'level' ? 0 : typeof name === 'string' ? chainable : undefined),
});

/** The path of a program, if there is one. */
function which(program: string): string | null {
  const { stdout, status } = spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** The module. What an extension prints goes into Tenon's log. */
export const piUtils = {
  logger: { debug: nothing, info: nothing, warn: print, error: print },
  errorMessage: (fault: unknown) => (fault instanceof Error ? fault.message : String(fault)),
  isEnoent: (fault: unknown) => (fault as NodeJS.ErrnoException | undefined)?.code === 'ENOENT',
  isRecord: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  getAgentDir: () => process.env['PI_CODING_AGENT_DIR'] ?? `${process.env['HOME'] ?? ''}/.pi/agent`,
  which,
  /** Colours of chalk, all of which give the text back. */
  chalk: chainable,
  default: chainable,
};
