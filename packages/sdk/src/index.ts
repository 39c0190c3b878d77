/** Tenon inside your program. */
import { checkOptions } from './known-options.ts';
import type { AgentSessionOptions, CreatedSession, Tenon, TenonOptions } from './tenon.ts';

export type { AgentSessionOptions, CreatedSession, SessionChoice, Tenon, TenonOptions } from './tenon.ts';
export { errors } from './errors.ts';
export { RpcClient } from './rpc-client.ts';
export type { HostToolHandler, HostUriHandler, RpcClientOptions, UiHandler } from './rpc-client.ts';
// For plugins of the program (`plugins`).
export { definePlugin } from '@tenon/kernel';
export type { Kernel, Logger, Plugin, PluginCandidate, PluginContext, Settings, SettingValue } from '@tenon/kernel';
export { toolCall, toolResult, tools } from '@tenon/tools/api';
export type {
  AgentEvent,
  AgentSession,
  AgentState,
  HandoffResult,
  MoveResult,
  PromptOptions,
  SendOptions,
} from '@tenon/agent/api';
export type {
  AssistantMessage,
  AuthStore,
  ImageContent,
  Model,
  ModelRegistry,
  StoredCredential,
  ThinkingLevel,
  Usage,
} from '@tenon/models/api';
export type { AgentMessage, Session, SessionEntry, SessionStore, SessionSummary } from '@tenon/sessions/api';
export type { Tool, ToolCall, ToolResult } from '@tenon/tools/api';
export type {
  BashResult,
  HostTool,
  HostUriScheme,
  InterfaceRequest,
  RpcData,
  RpcEvent,
  RpcParams,
  SessionState,
  SessionStats,
  TodoPhase,
} from '@tenon/rpc-mode/api';

/** Starts Tenon. Nothing is read and no plugin is loaded before it is needed. */
export async function createTenon(options: TenonOptions = {}): Promise<Tenon> {
  // A program may import the SDK long before it uses it, or only for the client of another process.
  const { startTenon } = await import('./tenon.ts');
  return startTenon(options);
}

/** What `createAgentSession` gives. */
export interface CreateAgentSessionResult extends CreatedSession {
  /** The Tenon behind the session; it ends with the session. */
  readonly tenon: Tenon;
}

/**
 * One agent, with everything found that is not given: settings, models, plugins, tools, a new session on disk.
 * `session.dispose()` ends it all. For several agents at once, make one `createTenon()` and ask it for sessions.
 */
export async function createAgentSession(
  options: TenonOptions & AgentSessionOptions = {},
): Promise<CreateAgentSessionResult> {
  const { SESSION_OPTIONS, TENON_OPTIONS } = await import('./tenon.ts');
  checkOptions('createAgentSession', options, [...SESSION_OPTIONS, ...TENON_OPTIONS]);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const sessionOptions = Object.fromEntries(given.filter(([option]) => SESSION_OPTIONS.includes(option)));
  const tenon = await createTenon(Object.fromEntries(given.filter(([option]) => TENON_OPTIONS.includes(option))));
  try {
    const created = await tenon.createAgentSession(sessionOptions as AgentSessionOptions);
    const agent = created.session;
    const disposeAgent = agent.dispose.bind(agent);
    let isEnding = false;
    // The caller who disposes of the session does not know about the kernel that was made for it.
    agent.dispose = async () => {
      await disposeAgent();
      // The kernel disposes of its agents in turn, and must not wait for itself.
      if (isEnding) return;
      isEnding = true;
      await tenon.dispose();
    };
    return { ...created, tenon };
  } catch (fault) {
    await tenon.dispose();
    throw fault;
  }
}
