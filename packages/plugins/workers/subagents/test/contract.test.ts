import { agentHooks } from '@tenon/agent/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { surroundings } from '@tenon/test-kit/workbench';
import { describe, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

const agent = inlineCandidate(
  { id: 'agent', defines: agentHooks, activate() {} },
  { defines: { hooks: agentHooks.map(({ id }) => id) } },
);

describe('subagents', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin, others: await surroundings(agent) });
  });
});
