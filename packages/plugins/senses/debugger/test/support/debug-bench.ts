/** A workbench with the debugger and the real sandbox. */
import { execFileSync } from 'node:child_process';
import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { findInPath } from '@tenon/host';
import { standIn } from '@tenon/test-kit/kernel';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import type { DebugDetails, DebugSnapshot } from '../../src/api.ts';

const agentHooks = standIn([sessionShutdown, sessionSwitch], 'agent');
const slots = standIn([cliCommands, doctorChecks], 'slots');

/** What a call gave. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly details: DebugDetails & { readonly snapshot: DebugSnapshot };
}

/** What tests of the debugger work with. */
export interface DebugBench extends Workbench {
  /** Makes a call that must succeed. */
  debug(action: string, input?: Record<string, unknown>, session?: string): Promise<Answer>;
  /** Makes a call that must fail; gives its text. */
  refused(action: string, input?: Record<string, unknown>, session?: string): Promise<string>;
}

/** Opens one. The profile is that of the settings, `full` unless told. */
export async function openDebugBench(
  files: Record<string, string> = {},
  settings: Record<string, unknown> = {},
): Promise<DebugBench> {
  const bench = await openWorkbench(['debugger', 'sandbox', agentHooks, slots], {
    files,
    settings: { sandbox: { profile: 'full' }, ...settings },
  });
  const call = async (action: string, input: Record<string, unknown>, session: string): Promise<Answer> => {
    const result = await bench.run('debug', { timeout: 60, ...input, action }, { session });
    return {
      text: textOf(result),
      isError: result.isError === true,
      details: (result.details ?? {}) as Answer['details'],
    };
  };
  return {
    ...bench,
    async debug(action, input = {}, session = 'one') {
      const answer = await call(action, input, session);
      if (answer.isError) throw new Error(`${action} failed: ${answer.text}`);
      return answer;
    },
    async refused(action, input = {}, session = 'one') {
      const answer = await call(action, input, session);
      if (!answer.isError) throw new Error(`${action} should have failed: ${answer.text}`);
      return answer.text;
    },
  };
}

/** Whether a program can be run with these arguments. */
export function works(program: string, ...args: string[]): boolean {
  if (findInPath(program, process.env) === undefined) return false;
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false; // It is there and does not work: as good as absent.
  }
}
