import type { AssistantMessage, RetryNotice, StreamEvent } from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { ToolResult } from '@tenon/tools/api';

/** What a session tells those who watch it. The names are those of the RPC protocol. */
export type AgentEvent =
  | { readonly type: 'agent_start' }
  | {
      readonly type: 'agent_end';
      readonly messages: readonly AgentMessage[];
      /** Why the work could not be done, and what to do next: of a fault, or of an answer that failed. */
      readonly error?: string;
    }
  | { readonly type: 'turn_start' }
  | { readonly type: 'turn_end'; readonly message: AssistantMessage; readonly toolResults: readonly AgentMessage[] }
  | { readonly type: 'message_start' | 'message_end'; readonly message: AgentMessage }
  | { readonly type: 'message_update'; readonly message: AssistantMessage; readonly assistantMessageEvent: StreamEvent }
  | {
      readonly type: 'tool_execution_start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: 'tool_execution_update';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
      readonly partialResult: ToolResult;
    }
  | {
      readonly type: 'tool_execution_end';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly isError: boolean;
    }
  | ({ readonly type: 'auto_retry_start' } & RetryNotice)
  | {
      readonly type: 'auto_retry_end';
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    }
  | { readonly type: 'auto_compaction_start'; readonly reason: 'threshold' | 'overflow' | 'idle' }
  | {
      readonly type: 'auto_compaction_end';
      readonly aborted: boolean;
      readonly willRetry: boolean;
      readonly errorMessage?: string;
      readonly tokensBefore?: number;
      readonly tokensAfter?: number;
    }
  | {
      readonly type: 'session_switch';
      readonly reason: SwitchReason;
      readonly sessionId: string;
      readonly sessionFile?: string;
      readonly previousSessionId: string;
    }
  | { readonly type: 'loop_suspected'; readonly toolName: string; readonly repeats: number }
  | { readonly type: 'ttsr_triggered'; readonly rules: readonly string[] }
  | {
      readonly type: 'todo_reminder';
      readonly todos: readonly unknown[];
      readonly attempt: number;
      readonly maxAttempts: number;
    }
  | { readonly type: 'todo_auto_clear' }
  | {
      readonly type: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      /** True when the text is all the answer that a prompt gets: a slash command has done the work. */
      readonly isAnswer?: boolean;
    };

/** Why the agent works on another session: a new one, one that was opened, a copy from an earlier point, a handed-over one. */
export type SwitchReason = 'new' | 'resume' | 'branch' | 'handoff';
