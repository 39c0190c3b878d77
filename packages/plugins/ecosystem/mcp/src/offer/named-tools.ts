/** Tools that somebody names before a session has asked for them: which servers have to be asked, and what to say when none has them. */
import { messageOf, TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import { MCP_TOOL_PREFIX } from '../api.ts';
import { errors } from '../errors.ts';
import type { Workspace } from '../workspace.ts';
import { mayBeNamed } from './tool-names.ts';

type Names = readonly string[] | undefined;

/** Whether what is known of a server leaves open what is wanted. Without names, everything is wanted. */
export function needsServer(server: string, known: Names, wanted: Names): boolean {
  if (!wanted) return known === undefined;
  return wanted.some((name) => mayBeNamed(server, name) && (isPattern(name) ? !known : !known?.includes(name)));
}

/** Why wanted tools are not there. */
export function problemsOf(workspace: Workspace, wanted: Names): readonly TenonError[] {
  const needed = workspace.listed.filter(({ name }) => needsServer(name, workspace.toolsOf(name), wanted));
  const down = needed.flatMap(({ name, obstacle }) => {
    // A server that is switched off is missed by nobody who did not name it.
    if (obstacle) return wanted || obstacle.kind !== 'disabled' ? [obstacle.error] : [];
    const fault = workspace.connection(name)?.error;
    return fault ? [failureOf(name, fault)] : [];
  });
  const named = (wanted ?? []).filter((name) => name.startsWith(MCP_TOOL_PREFIX) && !isPattern(name));
  return [...down, ...named.flatMap((name) => answersFor(workspace, name))];
}

/** What to say of a tool that no server has. */
function answersFor(workspace: Workspace, wanted: string): TenonError[] {
  const servers = workspace.listed.map(({ name }) => name);
  const meant = servers.filter((server) => mayBeNamed(server, wanted));
  if (meant.length === 0) {
    const [server = ''] = wanted.slice(MCP_TOOL_PREFIX.length).split('__');
    return [errors.create('MCP_SERVER_UNKNOWN', { server, hint: didYouMean(server, servers) })];
  }
  const known = meant.map((server) => ({ server, tools: workspace.toolsOf(server) }));
  if (known.some(({ tools }) => tools?.includes(wanted))) return [];
  return known.flatMap(({ server, tools }) =>
    tools ? [errors.create('MCP_TOOL_UNKNOWN', { server, tool: wanted, tools: tools.join(', ') || 'none' })] : [],
  );
}

function failureOf(server: string, fault: Error): TenonError {
  if (fault instanceof TenonError) return fault;
  return errors.create('MCP_CONNECT_FAILED', { server, reason: messageOf(fault) }, fault);
}

function isPattern(name: string): boolean {
  return name.includes('*');
}
