import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPack } from '@tenon/pack-host/testing';
import { toolResult } from '@tenon/tools/api';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the tool greets word by word', async () => {
  const pack = await startPack(source, plugin);
  const { result, updates } = await pack.runTool('greet', { name: 'Ada Lovelace' });
  assert.deepEqual(result.content, [{ type: 'text', text: 'Hello, Ada Lovelace!' }]);
  assert.equal(updates.length, 2);
  await pack.stop();
});

test('the command greets the world when nobody is named', async () => {
  const pack = await startPack(source, plugin);
  assert.deepEqual(await pack.runCommand('hello'), { out: 'Hello, world!\n', err: '', code: 0 });
  await pack.stop();
});

test('what looks like a password does not leave a tool', async () => {
  const pack = await startPack(source, plugin);
  const result = { content: [{ type: 'text' as const, text: 'it is hunter2' }] };
  const event = await pack.kernel.run(toolResult, { tool: 'any', callId: '1', input: {}, result });
  assert.deepEqual(event.result.content, [{ type: 'text', text: 'it is •••••••' }]);
  await pack.stop();
});
