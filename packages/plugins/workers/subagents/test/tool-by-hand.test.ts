import { toolRunner } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { delegate, subagentWorld, yields } from './support/world.ts';

describe('the tool called by hand', () => {
  const open = () => subagentWorld({ main: [{ text: 'nothing' }], tasks: { one: [yields('by hand')] } });

  it('works without a session', async () => {
    const { kernel } = await open();
    const { name, arguments: input } = delegate('quick_task', ['one']);
    const result = await (await kernel.find(toolRunner)).run(name, input);
    expect(JSON.stringify(result.content)).toContain('by hand');
  });

  it('says that nothing can run in the background there', async () => {
    const { kernel } = await open();
    const { name, arguments: input } = delegate('quick_task', ['one'], { background: true });
    const result = await (await kernel.find(toolRunner)).run(name, input);
    expect(JSON.stringify(result.content)).toContain('the call belongs to no session');
  });
});
