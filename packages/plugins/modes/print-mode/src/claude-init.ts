/** What the first message of `stream-json` says about the session, in the words of Claude Code. */
import type { AgentSession } from '@tenon/agent/api';
import type { ApprovalMode, Approvals } from '@tenon/approval/api';
import { TenonError } from '@tenon/kernel';
import type { McpHub, McpServerState } from '@tenon/mcp/api';
import type { AuthStore, KeySource } from '@tenon/models/api';
import type { PlanMode } from '@tenon/planning-tools/api';
import type { SlashCommands } from '@tenon/slash-commands/api';

/** The plugins that know it; all of them may be switched off. */
export interface InitHost {
  approvals(): Promise<Approvals | undefined>;
  credentials(): Promise<AuthStore | undefined>;
  mcp(): Promise<McpHub | undefined>;
  plans(): Promise<PlanMode | undefined>;
  slashCommands(): Promise<SlashCommands | undefined>;
}

const STATUS: Readonly<Record<McpServerState, string>> = {
  off: 'disabled',
  waiting: 'pending',
  connecting: 'pending',
  ready: 'connected',
  lost: 'failed',
  failed: 'failed',
  'needs-login': 'needs-auth',
};

/** Its `default` asks about every change, ours does not. */
const PERMISSION_MODE: Readonly<Record<ApprovalMode, string>> = {
  strict: 'default',
  ask: 'acceptEdits',
  yolo: 'bypassPermissions',
};

/** The fields of the message `init`. Gets the MCP servers going, as the first prompt would, so that their tools are listed. */
export async function initFields(agent: AgentSession, host: InitHost): Promise<Readonly<Record<string, unknown>>> {
  const mcp_servers = await mcpServers(agent, await host.mcp());
  const { id: session } = agent.session;
  const commands = await (await host.slashCommands())?.list({ session, cwd: agent.cwd });
  const { model, tools } = agent.state;
  return {
    tools: tools.map(({ name }) => name),
    mcp_servers,
    model: `${model.provider}/${model.id}`,
    permissionMode: await permissionMode(session, host),
    slash_commands: commands?.map(({ name }) => name) ?? [],
    apiKeySource: apiKeySource(await (await host.credentials())?.source(model.provider)),
    ...(model.isRules && { offline: true }),
  };
}

async function mcpServers(agent: AgentSession, hub: McpHub | undefined): Promise<readonly object[]> {
  if (!hub) return [];
  await hub.prepare(agent.cwd, agent.session.id);
  try {
    return (await hub.servers(agent.cwd)).map(({ name, state }) => ({ name, status: STATUS[state] }));
  } catch (fault) {
    // A file that cannot be read: it was reported while they were got going, and the conversation works without them.
    if (fault instanceof TenonError) return [];
    throw fault;
  }
}

async function permissionMode(session: string, host: InitHost): Promise<string> {
  if ((await host.plans())?.isOn(session)) return 'plan';
  const approvals = await host.approvals();
  // Without the plugin that asks, nobody is asked.
  return approvals ? PERMISSION_MODE[approvals.modeOf(session)] : 'bypassPermissions';
}

function apiKeySource(source: KeySource | undefined): string {
  switch (source?.from) {
    case undefined:
      return 'none';
    case 'environment':
      return source.variable;
    case 'this run':
      return 'temporary';
    case 'login':
      return 'oauth';
    default:
      return 'user';
  }
}
