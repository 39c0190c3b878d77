import { AGENT_VARIABLE, agentSign } from '@tenon/host';

/** Tells a Tenon that the one above it is no agent but passes on what an editor says; the value is the process above that one. */
export const RELAY_VARIABLE = 'TENON_ACP_RELAY';

/** The sign that an agent has started this program. A Tenon above that only passes on what an editor says is none; those above it count. */
export function signOfAgent(given: Readonly<Record<string, string | undefined>>): string | undefined {
  const { [AGENT_VARIABLE]: mark, ...rest } = given;
  // What this process has set itself is for the programs that it starts.
  const env = mark === undefined || mark === String(process.pid) ? rest : given;
  const above = Number(env[RELAY_VARIABLE]);
  const parent = Number.isSafeInteger(above) && above > 0 ? above : process.ppid;
  return agentSign({ env, pid: process.pid, parent, program: process.argv[1] ?? '' });
}
