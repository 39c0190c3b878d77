import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { runAgent } from '@tenon/test-kit/command-run';
import { tool } from '@tenon/test-kit/kernel';
import { MODEL } from '@tenon/test-kit/scripted-models';
import { afterEach, describe, expect, it } from 'vitest';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

const look = tool(async () => ({ content: [{ type: 'text' as const, text: 'seen' }] }));

async function world(options: WorldOptions = {}) {
  const made = await createWorld({ tools: { look }, ...options, plugins: ['modes', 'print-mode'] });
  worlds.push(made);
  return made;
}

const lines = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('limits', () => {
  const endless = [{ text: 'again', calls: [{ name: 'look' }] }];

  it('stop a model that wants to go on after --max-turns, with a code of their own', async () => {
    const { kernel, requests } = await world({ script: endless });
    const { code, err } = await runAgent(kernel, ['go'], { flags: { print: true, 'max-turns': '3' } });
    expect({ code, requests: requests.length }).toEqual({ code: 4, requests: 3 });
    expect(err).toMatch(/after 3 turns \(--max-turns\).*\n {2}next: .*--resume [0-9a-f]+/);
  });

  it('name no session that is not kept', async () => {
    const { kernel } = await world({ script: endless });
    const flags = { print: true, 'max-turns': '1', 'no-session': true };
    const { err } = await runAgent(kernel, ['go'], { flags });
    expect(err).toMatch(/after 1 turn \(--max-turns\).*\n {2}next: Give it more turns and run the command again/);
  });

  it('do not stop a model that is done', async () => {
    const { kernel } = await world({ script: [{ text: 'look', calls: [{ name: 'look' }] }, { text: 'done' }] });
    const flags = { print: true, 'max-turns': '2' };
    expect(await runAgent(kernel, ['go'], { flags })).toMatchObject({ code: 0, out: 'done\n', err: '' });
  });

  it('stop a run that has cost its budget, and later prompts are not sent', async () => {
    const model = { ...MODEL, price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } };
    const { kernel, requests } = await world({ script: endless, models: [model] });
    const flags = { print: true, 'max-budget-usd': '0.0015' };
    const { code, err } = await runAgent(kernel, ['go on', 'and on'], { flags });
    expect({ code, requests: requests.length }).toEqual({ code: 4, requests: 2 });
    expect(err).toContain('$0.0020 of the 0.0015 dollars');
    expect(err).toContain('1 prompt was not sent');
  });

  it('are refused where they cannot be kept or are no numbers', async () => {
    const { kernel } = await world();
    const run = (flags: Record<string, string>) => runAgent(kernel, ['go'], { flags });
    await expect(run({ 'max-budget-usd': '1' })).rejects.toMatchObject({ code: 'PRINT_NO_PRICE', exit: 'usage' });
    for (const value of ['0', '-1', 'two', '1.5'])
      await expect(run({ 'max-turns': value })).rejects.toMatchObject({ code: 'PRINT_LIMIT_VALUE' });
    for (const value of ['0', '0.0', '-1', '1e3', 'one'])
      await expect(run({ 'max-budget-usd': value })).rejects.toMatchObject({ code: 'PRINT_LIMIT_VALUE' });
  });
});

describe('an answer that has to fit a schema', () => {
  const schema = JSON.stringify({ type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } });

  it('is JSON, also when the model puts a fence around it', async () => {
    const { kernel, requests } = await world({ script: [{ text: '```json\n{"sum": 3}\n```' }] });
    const run = await runAgent(kernel, ['add'], { flags: { print: true, 'json-schema': schema } });
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(run.out)).toEqual({ sum: 3 });
    expect(JSON.stringify(requests[0]?.messages)).toContain('required');
  });

  it('may be corrected once', async () => {
    const { kernel, requests, home } = await world({ script: [{ text: 'The sum is 3.' }, { text: '{"sum":3}' }] });
    writeFileSync(join(home, 'schema.json'), schema);
    const flags = { 'output-schema': 'schema.json', 'output-format': 'json' };
    const { code, out } = await runAgent(kernel, ['add'], { flags, cwd: home });
    expect({ code, requests: requests.length }).toEqual({ code: 0, requests: 2 });
    expect(lines(out)).toMatchObject([{ type: 'result', subtype: 'success', structured_output: { sum: 3 } }]);
  });

  it('ends with a code of its own when it does not fit twice', async () => {
    const { kernel, requests } = await world({ script: [{ text: '{"sum":"3"}' }] });
    const { code, err } = await runAgent(kernel, ['add'], { flags: { print: true, 'json-schema': schema } });
    expect({ code, requests: requests.length }).toEqual({ code: 5, requests: 2 });
    expect(err).toContain('sum: must be number');
  });

  it('is not asked for with a schema that is none', async () => {
    const { kernel, requests } = await world();
    for (const given of ['{"type": 7}', '{', 'gone.json', '[]'])
      await expect(runAgent(kernel, ['x'], { flags: { 'json-schema': given } })).rejects.toMatchObject({
        code: 'PRINT_SCHEMA_INVALID',
        exit: 'usage',
      });
    await expect(runAgent(kernel, ['x'], { flags: { 'json-schema': 'gone.json' } })).rejects.toThrow(
      'there is no file "gone.json"',
    );
    expect(requests).toHaveLength(0);
  });
});

describe('the shape of Claude Code', () => {
  const script = [{ text: 'Let me see.', calls: [{ name: 'look', arguments: { path: 'a' } }] }, { text: 'Fine.' }];

  it('has init, messages and a result as lines', async () => {
    const { kernel, home } = await world({ script });
    const { code, out, err } = await runAgent(kernel, ['go'], { flags: { 'output-format': 'stream-json' }, cwd: home });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const frames = lines(out);
    expect(frames).toMatchObject([
      { type: 'system', subtype: 'init', cwd: home, model: 'test/m', tools: expect.arrayContaining(['look']) },
      { type: 'assistant', message: { content: [{ type: 'text' }, { type: 'tool_use', name: 'look' }] } },
      { type: 'user', message: { content: [{ type: 'tool_result', content: 'seen', is_error: false }] } },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'Fine.' }], stop_reason: 'end_turn' } },
      { type: 'result', subtype: 'success', is_error: false, result: 'Fine.', num_turns: 2, permission_denials: [] },
    ]);
    expect(frames.at(-1)).toMatchObject({ total_cost_usd: 0.002, usage: { input_tokens: 20, output_tokens: 10 } });
    expect(new Set(frames.map(({ session_id }) => session_id)).size).toBe(1);
    const calls = (frames[1] as { message: { content: { id?: string }[] } }).message.content;
    expect(frames[2]).toMatchObject({ message: { content: [{ tool_use_id: calls[1]?.id }] } });
  });

  it('has a result for every prompt, and only results as json', async () => {
    const { kernel } = await world({ script: [{ text: 'one' }, { text: 'two' }] });
    const { out } = await runAgent(kernel, ['first task', 'second task'], { flags: { 'output-format': 'json' } });
    expect(lines(out)).toMatchObject([
      { type: 'result', result: 'one', num_turns: 1 },
      { type: 'result', result: 'two', num_turns: 1 },
    ]);
  });

  it('says how a run failed: subtype, texts, and the error with its class', async () => {
    const { kernel } = await world({ script: [{ fail: { kind: 'auth', message: 'the key is wrong' } }] });
    const { code, out, err } = await runAgent(kernel, ['go'], { flags: { 'output-format': 'json' } });
    expect(code).toBe(1);
    const error = { code: 'PRINT_MODEL_FAILED', class: 'failure' };
    expect(lines(out)).toMatchObject([{ type: 'result', subtype: 'error_during_execution', is_error: true, error }]);
    expect(lines(err)).toMatchObject([{ error }]);
    const again = await world({ script: [{ calls: [{ name: 'look' }] }] });
    const flags = { 'output-format': 'json', 'max-turns': '1' };
    const limited = await runAgent(again.kernel, ['go'], { flags });
    expect(lines(limited.out)).toMatchObject([{ subtype: 'error_max_turns', error: { class: 'limit' } }]);
  });
});

describe('progress', () => {
  const script = [
    { text: 'Hm.', calls: [{ name: 'look', arguments: { command: 'npm test\u001b[2J' } }] },
    { text: 'Fine.' },
  ];

  it('is a line for each call where somebody watches, and nothing elsewhere', async () => {
    const run = async (io: { progress?: boolean; verbose?: boolean }) =>
      (await runAgent((await world({ script })).kernel, ['go'], { io })).err;
    expect(await run({})).toBe('');
    expect(await run({ progress: true })).toBe('look: npm test\n');
    expect(await run({ progress: true, verbose: true })).toMatch(
      /^Session [0-9a-f]+, model test\/m\.\nlook: npm test\n {2}look gave: seen\nHm\.\nTurns: 2\. Cost: \$0\.0020\.\n$/,
    );
  });

  it('says that a call failed, and why', async () => {
    const failing = tool(async () => ({ content: [{ type: 'text', text: 'no such thing' }], isError: true }));
    const { kernel } = await world({ script, tools: { look: failing } });
    const { err } = await runAgent(kernel, ['go'], { io: { progress: true } });
    expect(err).toBe('look: npm test\n  look failed: no such thing\n');
  });
});
