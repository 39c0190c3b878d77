/** CLIs of which no recordings could be made: amp beyond its login, forge, aider, cline, continue, cursor-agent. */
import { describe, expect, it } from 'vitest';
import type { WorkerAdapter, WorkerTask } from '../src/api.ts';
import { adapter as aider } from '../src/adapters/aider.ts';
import { adapter as amp } from '../src/adapters/amp.ts';
import { adapter as cline } from '../src/adapters/cline.ts';
import { adapter as continues } from '../src/adapters/continue.ts';
import { adapter as cursor } from '../src/adapters/cursor-agent.ts';
import { adapter as forge } from '../src/adapters/forge.ts';
import { ofType, play, playRecording, textOfEvents } from './playing.ts';

const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };
const lineOf = (adapter: WorkerAdapter, more: Partial<WorkerTask> = {}) =>
  adapter.command({ ...task, ...more }).args.join(' ');
const lines = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const resume = { id: 's-1', how: 'resume' } as const;

/** Every option of an adapter with some value of its type. */
function allOptions(adapter: WorkerAdapter): Record<string, unknown> {
  const { properties } = adapter.spec.options as unknown as {
    properties: Record<string, { type: string; enum?: string[] }>;
  };
  const values: Record<string, unknown> = {
    boolean: true,
    string: 'x',
    integer: 3,
    number: 3,
    array: ['x'],
    object: {},
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, option]) => [name, option.enum?.[0] ?? values[option.type]]),
  );
}

describe.each([amp, forge, aider, cline, continues, cursor])('the command line of $spec.name', (adapter) => {
  it('has the flag of every option', () => {
    const line = ` ${lineOf(adapter, { options: allOptions(adapter) })} `;
    const { properties } = adapter.spec.options as unknown as { properties: Record<string, Record<string, string>> };
    for (const option of Object.values(properties)) expect(line).toContain(` ${option['x-flag']}`);
  });

  it('refuses an option that it does not have', () => {
    expect(() => lineOf(adapter, { options: { nonsense: 1 } })).toThrow(/nonsense/);
  });
});

describe('Amp', () => {
  it('without a key is told apart at once, so that it can be stopped, and its token stays out of messages', async () => {
    const parser = amp.parser({});
    expect(parser.push('No API key found. Starting login flow...\n', 'stdout')).toMatchObject([
      { type: 'error', fault: 'login-needed' },
    ]);
    const { events, outcome } = await playRecording(amp, 'amp', 'noauth');
    expect(outcome).toMatchObject({ isDone: false, error: { fault: 'login-needed' } });
    expect(JSON.stringify([events, outcome])).not.toContain('authToken');
  });

  it('speaks as Claude Code does', async () => {
    const stdout = lines(
      { type: 'system', subtype: 'init', session_id: 'T-1', tools: [] },
      {
        type: 'assistant',
        session_id: 'T-1',
        message: { id: 'm1', content: [{ type: 'tool_use', id: 'c1', name: 'Bash', input: { cmd: 'ls' } }] },
      },
      {
        type: 'user',
        session_id: 'T-1',
        message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a', is_error: false }] },
      },
      { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 'T-1' },
    );
    const { events, outcome } = await play(amp, [['stdout', stdout]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, session: 'T-1', text: 'Done.' });
    expect(ofType(events, 'tool-end')).toMatchObject([{ name: 'Bash', isError: false }]);
  });

  it('runs, resumes and opens threads', () => {
    expect(lineOf(amp)).toBe('--no-ide --dangerously-allow-all --stream-json -x write fake.txt');
    expect(lineOf(amp, { yolo: false, session: resume })).toBe(
      'threads continue s-1 --no-ide --stream-json -x write fake.txt',
    );
    expect(lineOf(amp, { mcp: { t: { command: 'c', args: [] } } })).toContain('--mcp-config /scratch/mcp.json');
    expect(amp.interactive?.('T-1', task).args).toEqual(['threads', 'continue', 'T-1']);
  });
});

describe('Forge', () => {
  it('answers with what it says beside its marked lines, one of which names the conversation', async () => {
    const id = '6f1d2c3b-0a9b-4c8d-8e7f-1a2b3c4d5e6f';
    const stdout = `● [21:06:54] Initialize ${id}\n● [21:06:55] Execute [/bin/sh] ls\nAll done.\n\n● [21:06:58] Finished\n`;
    const { events, outcome } = await play(forge, [['stdout', stdout]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, session: id, text: 'All done.' });
    expect(ofType(events, 'thinking').map(({ text }) => text)).toContain('Execute [/bin/sh] ls\n');
  });

  it('says why it failed', async () => {
    const { outcome } = await play(forge, [['stdout', '● [21:06:54] ERROR: 401 Unauthorized\n']], { code: 1 });
    expect(outcome).toMatchObject({ isDone: false, error: { fault: 'auth', status: 401 } });
  });

  it('runs, resumes and opens conversations', () => {
    expect(lineOf(forge, { model: 'm' })).toBe('-C /project --model m --prompt write fake.txt');
    expect(lineOf(forge, { session: resume })).toBe('-C /project --conversation-id s-1 --prompt write fake.txt');
    expect(forge.interactive?.('c', task).args).toEqual(['--conversation-id', 'c', '-C', '/project']);
  });
});

describe('Aider', () => {
  it('answers without its banners, and counts what each message used', async () => {
    const stdout =
      'Aider v0.86.1\nMain model: x with diff edit format\nGit repo: .git with 3 files\n\nI changed it.\n\nTokens: 2.1k sent, 300 cache hit, 145 received. Cost: $0.0042 message, $0.01 session.\nApplied edit to a.py\nTokens: 1,000 sent, 5 received.\n';
    const { outcome } = await play(aider, [['stdout', stdout]], { code: 0 });
    expect(outcome).toMatchObject({
      isDone: true,
      text: 'I changed it.\n\nApplied edit to a.py',
      usage: { input: 3100, output: 150, cacheRead: 300, cacheWrite: 0, reasoning: 0 },
      cost: 0.0042,
    });
  });

  it('has failed although it exits with 0, unless it tried again', async () => {
    const error = 'litellm.RateLimitError: AnthropicException - Number of requests has exceeded\n';
    const { outcome } = await play(aider, [['stdout', error]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: false, error: { fault: 'rate-limit' } });
    const again = `${error}Retrying in 0.2 seconds...\nAll done.\n`;
    const second = await play(aider, [['stdout', again]], { code: 0 });
    expect(second.outcome).toMatchObject({ isDone: true, text: 'All done.' });
    expect(ofType(second.events, 'retry')).toMatchObject([{ fault: 'rate-limit' }]);
  });

  it('leaves nothing in the project but its work', () => {
    const line = lineOf(aider, { prompt: '-x' });
    expect(line).toContain('--no-gitignore --chat-history-file /scratch/aider-chat.md');
    expect(line).toMatch(/^--yes-always .*--message=-x$/);
    expect(lineOf(aider, { options: { autoCommits: false } })).toContain('--no-auto-commits');
  });
});

describe('Cline', () => {
  const event = (inner: object) => ({ ts: '2026-11-17T12:00:00Z', type: 'agent_event', event: inner });
  const start = { type: 'run_start', modelId: 'm', sessionId: 's-1' };

  it('gives session, tool call, answer and usage', async () => {
    const stdout = lines(
      start,
      event({ type: 'content_start', contentType: 'text', text: 'I ' }),
      event({ type: 'content_start', contentType: 'text', text: 'look.' }),
      event({ type: 'content_end', contentType: 'text', text: 'I look.' }),
      event({ type: 'content_start', contentType: 'tool', toolName: 'run_commands', toolCallId: 'c', input: { a: 1 } }),
      event({ type: 'content_end', contentType: 'tool', toolName: 'run_commands', toolCallId: 'c', output: { b: 2 } }),
      event({ type: 'usage', inputTokens: 10, outputTokens: 4, cacheReadTokens: 3, cost: 0.5, totalInputTokens: 99 }),
      { type: 'run_result', finishReason: 'completed', text: 'Done.', usage: { inputTokens: 99, outputTokens: 99 } },
    );
    const { events, outcome } = await play(cline, [['stdout', stdout]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, session: 's-1', text: 'Done.', cost: 0.5 });
    expect(outcome.usage).toMatchObject({ input: 13, output: 4, cacheRead: 3 });
    expect(textOfEvents(events)).toBe('I look.');
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: false, output: '{"b":2}' }]);
  });

  it('tells of errors on both streams; one that it recovers from is a retry', async () => {
    const stdout = lines(
      start,
      event({ type: 'error', recoverable: true, error: { message: '429 Too Many Requests' } }),
    );
    const { events, outcome } = await play(
      cline,
      [
        ['stdout', stdout],
        ['stderr', lines({ type: 'error', message: '401 Unauthorized' })],
      ],
      { code: 1 },
    );
    expect(ofType(events, 'retry')).toMatchObject([{ fault: 'rate-limit' }]);
    expect(outcome).toMatchObject({ isDone: false, error: { fault: 'auth' } });
  });

  it('runs, resumes, and takes no task for a command', () => {
    expect(lineOf(cline)).toBe('--json --auto-approve true --cwd /project write fake.txt');
    expect(lineOf(cline, { yolo: false, session: resume, prompt: 'doctor' })).toBe(
      '--json --auto-approve false --cwd /project --id s-1  doctor',
    );
    expect(cline.interactive?.('s-1', task).args).toEqual(['--tui', '--id', 's-1', '--cwd', '/project']);
  });
});

describe('Continue', () => {
  it('answers with its text', async () => {
    const { outcome } = await play(continues, [['stdout', 'All done.\n']], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, text: 'All done.' });
    const failed = await play(continues, [['stderr', 'Error: No API key found\n']], { code: 1 });
    expect(failed.outcome).toMatchObject({ isDone: false, error: { fault: 'login-needed' } });
  });

  it('may use all tools, unless options say which', () => {
    expect(lineOf(continues)).toBe('-p --silent --auto write fake.txt');
    expect(lineOf(continues, { options: { allow: ['Write'] } })).toBe('-p --silent --allow Write write fake.txt');
    expect(lineOf(continues, { options: { readonly: true } })).toBe('-p --silent --readonly write fake.txt');
  });
});

describe('Cursor Agent', () => {
  const stream = (...more: object[]) =>
    lines({ type: 'system', subtype: 'init', session_id: 'c-1', model: 'm', cwd: '/project' }, ...more);
  const say = (text: string) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  });
  const tool = (subtype: string, call: object) => ({ type: 'tool_call', subtype, call_id: 't', tool_call: call });

  it('gives session, tool calls, and what it says after the last of them as the answer', async () => {
    const stdout = stream(
      say('I look.'),
      tool('started', { shellToolCall: { args: { command: 'ls' } } }),
      tool('completed', {
        shellToolCall: { args: { command: 'ls' }, result: { success: { exitCode: 1, stdout: 'no' } } },
      }),
      say('Do'),
      say('ne.'),
      say('Done.'),
      { type: 'result', subtype: 'success', is_error: false, result: 'I look.Done.', session_id: 'c-1' },
    );
    const { events, outcome } = await play(cursor, [['stdout', stdout]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, session: 'c-1', text: 'Done.' });
    expect(ofType(events, 'tool-start')).toMatchObject([{ id: 't', name: 'shell', input: { command: 'ls' } }]);
    expect(ofType(events, 'tool-end')).toMatchObject([{ id: 't', name: 'shell', isError: true, output: 'no' }]);
    // The whole message after its parts is not said again.
    expect(textOfEvents(events)).toBe('I look.Done.');
  });

  it('says on standard error why it failed', async () => {
    const stderr = "Error: Authentication required. Please run 'agent login' first\n";
    const { outcome } = await play(cursor, [['stderr', stderr]], { code: 1 });
    expect(outcome.error?.fault).toBe('login-needed');
  });

  it('runs and resumes', () => {
    expect(lineOf(cursor)).toBe('-p --output-format stream-json --force --trust write fake.txt');
    expect(lineOf(cursor, { yolo: false, session: resume, prompt: 'login' })).toBe(
      '-p --output-format stream-json --trust --resume=s-1  login',
    );
  });
});
