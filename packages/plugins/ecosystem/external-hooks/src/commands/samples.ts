/** An example of every occasion, to try hooks with. */
import type { Moment, Occasion } from '../occasion.ts';

const call = { tool: 'bash', callId: 'call-1', input: { command: 'echo hello' }, touches: {}, risk: 'exec' as const };
const result = { content: [{ type: 'text' as const, text: 'hello\n' }] };
const model = { messages: [{ role: 'user' as const, content: 'Say hello' }], tools: ['read', 'bash'] };

/** Calls whose name tells which tool an event is about. */
const CALLS: Readonly<Record<string, Pick<typeof call, 'tool'> & { input: Record<string, unknown> }>> = {
  pre_read_code: { tool: 'read', input: { path: 'README.md' } },
  post_read_code: { tool: 'read', input: { path: 'README.md' } },
  pre_write_code: { tool: 'write', input: { path: 'hello.txt', content: 'hello\n' } },
  post_write_code: { tool: 'write', input: { path: 'hello.txt', content: 'hello\n' } },
  pre_mcp_tool_use: { tool: 'mcp__memory__search', input: { query: 'hello' } },
  post_mcp_tool_use: { tool: 'mcp__memory__search', input: { query: 'hello' } },
  beforeReadFile: { tool: 'read', input: { path: 'README.md' } },
  afterFileEdit: { tool: 'write', input: { path: 'hello.txt', content: 'hello\n' } },
  beforeMCPExecution: { tool: 'mcp__memory__search', input: { query: 'hello' } },
  afterMCPExecution: { tool: 'mcp__memory__search', input: { query: 'hello' } },
};

/** The example for an event. */
export function sampleFor(moment: Moment, event: string): Occasion {
  const facts = { ...call, ...CALLS[event] };
  const isFailure = /failure/i.test(event);
  switch (moment) {
    case 'before-tool':
      return { moment, ...facts };
    case 'after-tool':
      return { moment, ...facts, result: { ...result, isError: isFailure }, durationMs: 12 };
    case 'permission':
      return { moment, ...facts, reasons: ['an example'] };
    case 'permission-denied':
      return { moment, ...facts, reason: 'an example' };
    case 'tool-batch':
      return { moment, calls: [{ ...facts, result }] };
    case 'prompt':
      return { moment, prompt: 'Say hello' };
    case 'stop':
      return { moment, text: 'Hello.', continues: 0, prompt: 'Say hello' };
    case 'run-end':
      return { moment, status: isFailure ? 'error' : 'completed', text: 'Hello.', prompt: 'Say hello', continues: 0 };
    case 'session-start':
      return { moment, source: 'startup' };
    case 'session-end':
      return { moment, reason: 'other', durationMs: 1000 };
    case 'before-compact':
      return { moment, trigger: 'manual', instructions: '', tokens: 1000, messages: 10 };
    case 'after-compact':
      return { moment, trigger: 'manual', summary: 'An example.' };
    case 'notification':
      return { moment, kind: 'idle_prompt', title: 'Waiting for input', message: 'Tenon is waiting for your input' };
    case 'subagent-start':
      return { moment, agentId: 'agent-1', agentType: 'explore', task: 'Look around' };
    case 'subagent-stop':
      return { moment, agentId: 'agent-1', agentType: 'explore', task: 'Look around', text: 'Done.', continues: 0 };
    case 'before-model':
    case 'tool-selection':
      return { moment, ...model };
    case 'after-model':
      return { moment, ...model, text: 'Hello.', tokens: 10 };
    case 'response':
    case 'thought':
      return { moment, text: 'Hello.' };
    case 'other':
      return { moment, event, fields: {} };
  }
}
