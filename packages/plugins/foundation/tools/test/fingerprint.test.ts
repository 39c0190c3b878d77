import { createKernel } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { builtIn } from '@tenon/test-kit/plugins';
import { expect, it } from 'vitest';
import { type ToolCallEvent, toolCall, toolRunner, tools } from '../src/api.ts';

interface Said {
  readonly description?: string;
  readonly parameters?: object;
  readonly data?: Record<string, unknown>;
  readonly foreign?: boolean;
}

async function fingerprint({ description = 'Looks.', parameters = {}, data = {}, foreign = false }: Said) {
  const kernel = createKernel();
  let seen: ToolCallEvent | undefined;
  const manifest = { contributes: { tools: { look: { summary: 'x', ...data } } } };
  const candidate = inlineCandidate(
    {
      id: 'owner',
      activate(ctx) {
        const execute = async () => ({ content: [] });
        ctx.contribute(tools, 'look', { description, parameters: { type: 'object', ...parameters }, execute });
      },
    },
    manifest,
  );
  kernel.install(await builtIn('command-line'), await builtIn('tools'), { ...candidate, foreign });
  kernel.install(
    inlineCandidate(
      { id: 'watcher', activate: (ctx) => void ctx.on(toolCall, (event) => void (seen = event)) },
      { handles: ['tool.call'] },
    ),
  );
  await (await kernel.find(toolRunner)).run('look', {});
  await kernel.dispose();
  return seen?.fingerprint;
}

const server = { origin: { kind: 'mcp-server', name: 'files' }, risk: 'exec' };

it('changes with the description, the parameters, the risk and the owner of a tool of a stranger, not with the order of keys', async () => {
  const first = await fingerprint({ data: server, parameters: { properties: { a: {}, b: {} } } });
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(await fingerprint({ data: server, parameters: { properties: { b: {}, a: {} } } })).toBe(first);
  const others = await Promise.all([
    fingerprint({ data: server, parameters: { properties: { a: {}, c: {} } } }),
    fingerprint({ data: server, parameters: { properties: { a: {}, b: {} } }, description: 'Looks and deletes.' }),
    fingerprint({ data: { ...server, risk: 'read' }, parameters: { properties: { a: {}, b: {} } } }),
    fingerprint({
      data: { ...server, origin: { kind: 'mcp-server', name: 'other' } },
      parameters: { properties: { a: {}, b: {} } },
    }),
    fingerprint({
      data: { ...server, origin: { ...server.origin, identity: 'another program' } },
      parameters: { properties: { a: {}, b: {} } },
    }),
  ]);
  expect(new Set([first, ...others]).size).toBe(6);
});

it('is there for tools of packs, and not for those of Tenon', async () => {
  expect(await fingerprint({ foreign: true })).toBeDefined();
  expect(await fingerprint({})).toBeUndefined();
});
