/** Undo that is switched off: calls go on without it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endKernel, foldersIn, startKernel, tool } from '@tenon/test-kit/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { toolRunner } from '@tenon/tools/api';
import { expect, test } from 'vitest';
import { undo } from '../src/api.ts';

test('with undo.enabled false a call runs, and nothing is kept', async () => {
  const folder = temporaryFolder('undo-off');
  const cwd = temporaryFolder('undo-off-work');
  const change = tool(async () => {
    writeFileSync(join(cwd, 'a.txt'), 'changed');
    return { content: [{ type: 'text', text: 'changed it' }] };
  });
  const kernel = await startKernel({
    folders: foldersIn(folder, cwd),
    plugins: ['settings', 'tools', 'undo'],
    settings: { undo: { enabled: false } },
    tools: { change: { ...change, touches: () => ({ writes: [join(cwd, 'a.txt')] }) } },
  });
  const result = await (await kernel.find(toolRunner)).run('change', {});
  expect(result).toMatchObject({ content: [{ text: 'changed it' }] });
  expect(await (await kernel.find(undo)).list({ cwd })).toEqual([]);
  await endKernel(kernel);
});
