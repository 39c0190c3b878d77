/** Checks a whole project with the checker that belongs to a server: `tsc`, `cargo check`, `go vet`, `pyright`. */
import { spawn } from 'node:child_process';
import { MARK_SCRIPT } from '@tenon/host';
import { counted, plainText } from '@tenon/wording';
import { errors } from '../errors.ts';
import { confine } from '../servers/confine.ts';
import type { AvailableServer } from '../servers/desk.ts';
import { findProgram } from '../servers/program.ts';
import type { ActionResult, LspCall } from './call-context.ts';

const SHOWN_LINES = 50;
const MAX_BYTES = 256 * 1024;
/** As for servers: the group ends with Tenon. */
const GUARD = `${MARK_SCRIPT}{ while read -r _; do :; done <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** `diagnostics` of `*` */
export async function checkProject(call: LspCall): Promise<ActionResult> {
  const servers = (await call.desk.forFolder(call.place)).filter(({ data }) => data.check);
  const blocks: string[] = [];
  const outcomes: { server: string; exitCode: number | null }[] = [];
  for (const server of servers) {
    const { command = '', args = [] } = server.data.check ?? {};
    const { root } = server;
    const { top, trusted } = call.place;
    const npm = server.data.npm && command === server.data.command ? { npm: server.data.npm } : {};
    const program = findProgram({ command, ...npm }, { root, top, trusted, env: call.host.env });
    if (!program) {
      blocks.push(`[${server.name}: the program ${command} was not found]`);
      continue;
    }
    const { text, exitCode } = await run(call, server, [...program.words, ...args], program.reads);
    outcomes.push({ server: server.name, exitCode });
    blocks.push(textOf([command, ...args].join(' '), text, exitCode));
  }
  if (outcomes.length === 0) {
    const tried = ` ${blocks.join(' ')}`.trimEnd();
    throw errors.create('LSP_NO_SERVER', { what: 'the whole project (give a file or a glob instead)', tried });
  }
  return { text: blocks.join('\n\n'), details: { checks: outcomes } };
}

function textOf(command: string, output: string, exitCode: number | null): string {
  const lines = plainText(output)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const more = lines.length - SHOWN_LINES;
  const rows = [...lines.slice(0, SHOWN_LINES), ...(more > 0 ? [`… ${counted(more, 'more line')}`] : [])];
  const head = `Workspace diagnostics (${command}):`;
  if (rows.length === 0) return `${head} ${exitCode === 0 ? 'OK' : `no output, exit code ${exitCode ?? 'none'}`}`;
  return [head, ...rows].join('\n');
}

async function run(
  { host, signal }: LspCall,
  server: AvailableServer,
  command: readonly string[],
  reads: readonly string[],
): Promise<{ text: string; exitCode: number | null }> {
  const { confinement, env } = await confine(host, server, reads);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', GUARD, 'tenon-check', ...confinement.argv, ...command], {
        cwd: server.root,
        env: { ...env, ...confinement.env },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: true,
      });
      let text = '';
      const take = (chunk: Buffer) => {
        if (text.length < MAX_BYTES) text += chunk.toString('utf8');
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.stdio[3]?.on('error', () => undefined); // It breaks when the guard is gone.
      const kill = () => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        } catch {
          // Gone already.
        }
      };
      signal.addEventListener('abort', kill, { once: true });
      child.once('error', reject);
      child.once('exit', () => child.stdio[3]?.destroy());
      child.once('close', (exitCode) => {
        signal.removeEventListener('abort', kill);
        if (signal.aborted) reject(signal.reason as Error);
        else resolve({ text, exitCode });
      });
      if (signal.aborted) kill();
    });
  } finally {
    await confinement.dispose();
  }
}
